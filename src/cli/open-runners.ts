/** Opens the clients of dispatch that the settings of the manager configure. */
import type { managerSettings } from '../manager/manager-settings.ts';
import { DispatchReports, DispatchSignals } from '../manager/runner-pools/dispatch-client.ts';
import type { RunnerPorts } from '../manager/runner-pools/runner-ports.ts';
import { KubePodLogs } from '../kube/client/pod-logs.ts';
import type { KubeTransport } from '../kube/client/transport.ts';
import type { Logger } from '../platform/logger.ts';
import type { Values } from '../platform/settings/setting.ts';
import type { ClusterPorts, ProcessPorts } from './process-ports.ts';

export interface RunnerOpenPorts extends Pick<ProcessPorts, 'clock'>, Pick<ClusterPorts, 'readFile'> {
  readonly transport: KubeTransport;
  readonly logger: Logger;
}

export function openRunners(settings: Values<typeof managerSettings>, ports: RunnerOpenPorts): RunnerPorts {
  const { dispatchUrl, dispatchTokenFile, scalingSignalsUrl, sessionsUrl } = settings;
  const { clock, readFile, logger, transport } = ports;
  if (dispatchUrl === undefined) {
    logger.info('disabled the runner pool controllers: no dispatch URL is configured', {
      setting: '--dispatch-url',
    });
    return {};
  }
  const readToken = () => readFile(dispatchTokenFile);
  return {
    logs: new KubePodLogs({ transport, clock }),
    ...(scalingSignalsUrl !== undefined && {
      signals: new DispatchSignals({ url: scalingSignalsUrl, clock, readToken }),
    }),
    ...(sessionsUrl !== undefined && {
      reports: new DispatchReports({ url: sessionsUrl, clock, readToken }),
    }),
  };
}
