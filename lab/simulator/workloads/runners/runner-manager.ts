/** A replica of the manager as a process of a world with runner pools and without rented Macs. */
import type { RunnerSignals } from '../../../../src/runner-pools/autoscaler/ports.ts';
import type { StoppedReports } from '../../../../src/runner-pools/pods/ports.ts';
import { FleetError } from '../../../../src/platform/errors/fleet-error.ts';
import { FleetManager } from '../../../../src/manager/manager.ts';
import { fieldsOf } from '../../../../src/kube/client/fields.ts';
import type { Errand, FrontDoor, FrontReply } from '../../world/dispatch/load-balancer.ts';
import type { ProcessEnv } from '../../engine/process.ts';
import { RuntimeTransport } from '../../world/kube-transport.ts';
import { Cloud } from '../../../clouds/scaleway/cloud.ts';
import { CloudService } from '../../../clouds/scaleway/service.ts';
import { worldProvider } from '../../../clouds/scaleway/world-provider.ts';
import type { World } from '../../world/world.ts';
import { project, usualSettings } from '../hosts/manager-process.ts';
import type { RunnerAdminClient } from './admin-client.ts';
import { runnersNamespace } from './runner-truth.ts';

/** The account that dispatch accepts as the manager. */
export const managerAccount = { namespace: 'default', name: 'muster-manager' } as const;

export interface RunnerManagers {
  readonly names: readonly string[];
  readonly door: FrontDoor;
  readonly admin: RunnerAdminClient;
  readonly isAutoscaling: boolean;
}

const deadlineMs = 5000;

const settings = {
  ...usualSettings,
  // There are no servers to list, so the inventory is never awaited.
  inventoryIntervalMs: 24 * 3_600_000,
  sweepIntervalMs: 24 * 3_600_000,
  runners: {
    namespace: runnersNamespace,
    template: { dispatchUrl: 'http://dispatch.example/api/internal/runners/dispatch' },
  },
};

export function addRunnerManagers(world: World, managers: RunnerManagers): void {
  const ports = { clock: world.clock, random: (name: string) => world.random(name) };
  const cloud = new Cloud({ zones: usualSettings.zones, hosts: 0, project, type: 'M2-L' }, ports);
  const service = new CloudService(cloud);
  for (const name of managers.names)
    world.addProcess({ name, versions: [(env) => replica(world, env, { ...managers, service })] });
}

function replica(
  world: World,
  env: ProcessEnv,
  given: RunnerManagers & { readonly service: CloudService },
): { readonly stop: () => Promise<void> } {
  const { incarnation: caller, name } = env;
  const { service, isAutoscaling } = given;
  const line = new DispatchLine(world, env, given);
  const manager = new FleetManager(settings, {
    transport: new RuntimeTransport(world.kube.transport(caller)),
    provider: worldProvider({ service, calls: world.calls, caller, projectId: project }),
    clock: env.clock,
    random: env.random,
    identity: caller.label,
    log: env.log,
    exit: env.exit,
    crash: (error) => world.fail(name, error),
    runners: isAutoscaling ? { reports: line, signals: line } : { reports: line },
  });
  manager.start();
  return { stop: () => manager.stop() };
}

/** The calls of the manager to dispatch, which can fail. */
class DispatchLine implements StoppedReports, RunnerSignals {
  readonly #world: World;
  readonly #env: ProcessEnv;
  readonly #given: RunnerManagers;

  constructor(world: World, env: ProcessEnv, given: RunnerManagers) {
    this.#world = world;
    this.#env = env;
    this.#given = given;
  }

  async stopped(report: Parameters<StoppedReports['stopped']>[0]): Promise<void> {
    const body = {
      pod_name: report.podName,
      pod_uid: report.podUid,
      ended_at: new Date(report.endedAt).toISOString(),
      ...(report.exitCode !== undefined && { exit_code: report.exitCode }),
      ...(report.reason !== undefined && { reason: report.reason }),
      ...(report.logTail !== undefined && { log_tail: report.logTail }),
    };
    await this.#ask({
      what: 'stopped',
      token: this.#token(),
      about: report.podName,
      body: JSON.stringify(body),
    });
  }

  async signals(pool: string): ReturnType<RunnerSignals['signals']> {
    const { body } = await this.#ask({ what: 'signals', token: this.#token(), about: pool });
    const reported = fieldsOf(body);
    const number = (name: string): number => Number(reported[name] ?? 0);
    return {
      claimed: number('claimed'),
      queued: number('queued'),
      occupied: number('occupied'),
      withheld: number('withheld'),
      p95: number('p95_concurrent_last_hour'),
    };
  }

  #token(): string {
    return this.#given.admin.tokenOf(managerAccount);
  }

  async #ask(request: Errand): Promise<FrontReply> {
    const { incarnation: caller } = this.#env;
    const end = await this.#world.calls.call(this.#given.door, { caller, request, deadlineMs });
    if ('answer' in end && end.answer.status < 300) return end.answer;
    const status = 'answer' in end ? end.answer.status : 0;
    const kind = status >= 400 && status < 500 ? 'rejected' : 'unavailable';
    throw new FleetError(kind, { reason: 'DispatchUnavailable', message: `dispatch answered ${status}` });
  }
}
