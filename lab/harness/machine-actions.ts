/** The actions of the machine controller on the host harness. The test sets the content of the cache. */
import { annotations } from '../../src/api/names/annotations.ts';
import { finalizers } from '../../src/api/names/finalizers.ts';
import { MachineController } from '../../src/hosts/machine/controller.ts';
import type { Action, ClusterReadiness } from '../../src/hosts/machine/decision.ts';
import type { MacHostObject, MachineObject } from '../../src/hosts/state/objects.ts';
import { hostId, type HostHarness } from './host-harness.ts';

export const meant = {
  annotations: { [annotations.host.key]: hostId },
  finalizers: [finalizers.machine.key],
};
const os = { name: 'macos-tahoe-26.3', family: 'Tahoe' };
export const free = { name: 'pool-1', zone: 'fr-par-1', type: 'M2-L', status: 'ready', delivered: true, os };
export const otherId = '3f0d2c4e-8a55-4d0b-9f43-1c7f2f5a6e01';

interface Given {
  readonly machine: MachineObject;
  readonly meaning?: readonly MachineObject[];
  /** The cached hosts; by default the stored host under any name. */
  readonly findHost?: (id: string) => MacHostObject | undefined;
  readonly clusterReadiness?: ClusterReadiness;
}

export async function act(harness: HostHarness, action: Action, given: Given) {
  const host = await harness.storedHost();
  const { machine, clusterReadiness = 'ready' } = given;
  const observed = {
    now: harness.now(),
    machine,
    host,
    isShared: false,
    isServingOthers: false,
    isNamedByPerson: false,
    named: [],
    hosts: [host],
    clusterReadiness,
    isListed: true,
  };
  const controller = await controllerOn(harness, given);
  return controller.act(action, { ...observed, defaultPoolPrefix: 'pool-', claimPrefix: '' });
}

export async function controllerOn(harness: HostHarness, given: Given) {
  const host = await harness.storedHost();
  const { machine, meaning = [], clusterReadiness = 'ready', findHost = () => host } = given;
  return new MachineController({
    client: harness.client,
    provider: harness.provider,
    server: () => Promise.resolve(harness.server),
    find: () => machine,
    findHost,
    hosts: () => [host],
    hostsAbout: () => [host],
    view: () => harness.viewOf(machine, ...meaning),
    pendingAtRest: () => new Set<string>(),
    meaning: () => meaning,
    called: () => [],
    isListed: () => true,
    clusterReadiness: () => Promise.resolve(clusterReadiness),
    now: harness.now,
    defaultPoolPrefix: 'pool-',
    claimPrefix: '',
    secretsNamespace: 'default',
  });
}
