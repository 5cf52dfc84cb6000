/** A replica of the manager as a process of a world, with default settings. */
import { usualPoolPrefix } from '../../../../src/api/names/host-names.ts';
import { FleetManager } from '../../../../src/manager/manager.ts';
import type { FleetSettings } from '../../../../src/manager/host-settings.ts';
import type { Metrics } from '../../../../src/platform/metrics.ts';
import { OlderManager } from '../../legacy-baseline/older-manager.ts';
import { RuntimeTransport } from '../../world/kube-transport.ts';
import type { CloudService } from '../../../clouds/scaleway/service.ts';
import { worldProvider } from '../../../clouds/scaleway/world-provider.ts';
import type { World } from '../../world/world.ts';

export const project = '11111111-2222-4333-8444-555555555555';

/** A lease of minutes costs few events, which allows many virtual hours. */
export const usualSettings: FleetSettings = {
  zones: ['fr-par-1'],
  defaultPoolPrefix: usualPoolPrefix,
  claimPrefix: 'tuist-tuist-',
  inventoryIntervalMs: 60_000,
  sweepIntervalMs: 5 * 60_000,
  reclaimsMax: 2,
  workers: 4,
  secretsNamespace: 'default',
  leaseNamespace: 'default',
  leaseName: 'muster-manager',
  lease: { durationMs: 120_000, actMs: 70_000, handoverMs: 60_000 },
};

export interface ManagerProcess {
  readonly name: string;
  readonly service: CloudService;
  readonly settings: FleetSettings;
  /** Runs the legacy baseline instead, to show its flaws. */
  readonly isOlder?: boolean;
  /** Called for each life. */
  readonly metrics?: () => Metrics;
}

export function addManager(world: World, options: ManagerProcess): void {
  const { name, service, settings, isOlder = false, metrics } = options;
  const Manager = isOlder ? OlderManager : FleetManager;
  world.addProcess({
    name,
    versions: [
      (env) => {
        const caller = env.incarnation;
        const manager = new Manager(settings, {
          transport: new RuntimeTransport(world.kube.transport(caller)),
          provider: worldProvider({ service, calls: world.calls, caller, projectId: project }),
          clock: env.clock,
          random: env.random,
          identity: caller.label,
          log: env.log,
          exit: env.exit,
          crash: (error) => world.fail(name, error),
          ...(metrics !== undefined && { metrics: metrics() }),
        });
        manager.start();
        return { stop: () => manager.stop() };
      },
    ],
  });
}
