/** Counts and times the calls to the provider. */
import { isFleetError } from '../platform/errors/fleet-error.ts';
import type { Provider, SshKeys } from '../hosts/provider/port.ts';
import type { Clock } from '../platform/clock.ts';
import { providerMetrics } from '../hosts/state/metric-definitions.ts';
import { CountersBy, type Metrics } from '../platform/metrics.ts';

type Measure = <T>(call: () => Promise<T>) => Promise<T>;

export interface MeasurePorts {
  readonly metrics: Metrics;
  readonly clock: Clock;
}

export function measuredProvider(provider: Provider, ports: MeasurePorts): Provider {
  const list = measureOf('list', ports);
  const get = measureOf('get', ports);
  const rename = measureOf('rename', ports);
  const reinstall = measureOf('reinstall', ports);
  const reboot = measureOf('reboot', ports);
  const end = measureOf('delete', ports);
  const schedule = measureOf('schedule-deletion', ports);
  const listOs = measureOf('list-os', ports);
  return {
    listServers: (zone) => list(() => provider.listServers(zone)),
    getServer: (address) => get(() => provider.getServer(address)),
    rename: (address, name) => rename(() => provider.rename(address, name)),
    reinstall: (address, osId) => reinstall(() => provider.reinstall(address, osId)),
    reboot: (address) => reboot(() => provider.reboot(address)),
    delete: (address) => end(() => provider.delete(address)),
    scheduleDeletion: (address) => schedule(() => provider.scheduleDeletion(address)),
    listOs: (zone, serverType) => listOs(() => provider.listOs(zone, serverType)),
    sshKeys: measuredKeys(provider.sshKeys, ports),
  };
}

function measuredKeys(keys: SshKeys, ports: MeasurePorts): SshKeys {
  const list = measureOf('list-ssh-keys', ports);
  const register = measureOf('register-ssh-key', ports);
  const end = measureOf('delete-ssh-key', ports);
  return {
    list: () => list(() => keys.list()),
    register: (key) => register(() => keys.register(key)),
    delete: (id) => end(() => keys.delete(id)),
  };
}

function measureOf(verb: string, { metrics, clock }: MeasurePorts): Measure {
  const results = new CountersBy((result) => metrics.counter(providerMetrics.calls, { verb, result }));
  const seconds = metrics.histogram(providerMetrics.seconds, { verb });
  return async (call) => {
    const begun = clock.now();
    let result = 'ok';
    try {
      return await call();
    } catch (error) {
      result = isFleetError(error) ? error.reason : 'fault';
      throw error;
    } finally {
      results.add(result);
      seconds.observe((clock.now() - begun) / 1000);
    }
  };
}
