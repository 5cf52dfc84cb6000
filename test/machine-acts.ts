/** The acts of the controller of machines on the stand of hosts. What its cache says is told by the test. */
import { annotations } from '../src/api/annotations.ts';
import { finalizers } from '../src/api/finalizers.ts';
import { MachineController } from '../src/controllers/machine/machine.ts';
import type { Action, Gate } from '../src/controllers/machine/decision.ts';
import type { MacHostObject, MachineObject } from '../src/fleet/objects.ts';
import { hostId, type HostStand } from './host-stand.ts';

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
  /** What the cache has of hosts; the stored one under any name unless given. */
  readonly findHost?: (id: string) => MacHostObject | undefined;
  readonly gate?: Gate;
}

export async function act(stand: HostStand, action: Action, given: Given) {
  const host = await stand.storedHost();
  const { machine, gate = 'open' } = given;
  const observed = {
    now: stand.now(),
    machine,
    host,
    isShared: false,
    isServingOthers: false,
    isNamedByPerson: false,
    named: [],
    hosts: [host],
    gate,
    isListed: true,
  };
  const controller = await controllerOn(stand, given);
  return controller.act(action, { ...observed, defaultPoolPrefix: 'pool-', claimPrefix: '' });
}

export async function controllerOn(stand: HostStand, given: Given) {
  const host = await stand.storedHost();
  const { machine, meaning = [], gate = 'open', findHost = () => host } = given;
  return new MachineController({
    client: stand.client,
    provider: stand.provider,
    server: () => Promise.resolve(stand.server),
    find: () => machine,
    findHost,
    hosts: () => [host],
    hostsAbout: () => [host],
    view: () => stand.viewOf(machine, ...meaning),
    pendingAtRest: () => new Set<string>(),
    meaning: () => meaning,
    called: () => [],
    isListed: () => true,
    gate: () => Promise.resolve(gate),
    now: stand.now,
    defaultPoolPrefix: 'pool-',
    claimPrefix: '',
    secretsNamespace: 'default',
  });
}
