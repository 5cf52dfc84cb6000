/** The plan about machines. The controller looks at them itself, so that each host is promised to one of them only. */
import { MachineController } from '../../hosts/machine/controller.ts';
import type { Action } from '../../hosts/machine/decision.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { hostsOf, machineUidsOn, type MachineObject } from '../../hosts/state/objects.ts';
import { ClusterGate } from '../../manager/cluster-readiness.ts';
import { shortId } from './find-object.ts';
import { machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import { pendingAtRest } from './fleet-state.ts';
import { nothing, rowOf, sectionOf, type PlanFacts, type Row, type Section } from './plan-rows.ts';

export function machineSection(context: PlanFacts): Promise<Section> {
  const assumed = ['that the manager has taken an inventory of each zone since it leads'];
  return sectionOf('machine', { assumed }, async () => {
    const controller = controllerOf(context);
    const rows: Row[] = [];
    for (const machine of inOrder(context)) rows.push(await rowFor(machine, controller));
    return rows;
  });
}

async function rowFor(machine: FleetMachine, controller: MachineController): Promise<Row> {
  const name = machineName(machine);
  const object = `machine/${name}`;
  try {
    const observed = await controller.observe(name);
    if (observed === undefined) return rowOf(object, nothing, 'it is gone');
    const { actions, notes } = controller.plan(observed);
    const why = notes.map(({ reason, detail }) => `${reason}: ${detail}`).join('; ');
    return rowOf(object, actions[0] === undefined ? nothing : actionText(actions[0]), why);
  } catch (error) {
    if (!isFleetError(error, 'rejected')) throw error;
    return rowOf(object, nothing, `not known, for its Cluster could not be read: ${error.message}`);
  }
}

function actionText(action: Action): string {
  switch (action.kind) {
    case 'guard':
      return 'put the finalizer on it, without which its host could be left behind';
    case 'intend':
      return `take host ${shortId(action.hostId)}`;
    case 'claim':
      return `claim host ${shortId(action.hostId)}`;
    case 'recall':
      return `say again that it has host ${shortId(action.hostId)}`;
    case 'record':
      return 'write down what it has';
    case 'hold':
      return `keep host ${shortId(action.hostId)} aside, for an operator took the machine off it`;
    case 'resume':
      return `take back host ${shortId(action.hostId)}, which was kept aside for it`;
    case 'let-go':
      return 'let it go';
    case 'give-up':
      return giveUpText(shortId(action.hostId), action.release);
  }
}

function giveUpText(host: string, release: Extract<Action, { kind: 'give-up' }>['release']): string {
  switch (release.kind) {
    case 'terminate':
      return `order the end of the rent of host ${host}`;
    case 'pool':
      return `order host ${host} back to ${release.poolPrefix}`;
    case 'skip':
      return `leave host ${host} as it is, for there is no pool to give it back to`;
    case 'person':
      return `leave host ${host} to the person who renamed its server`;
    case 'others':
      return `leave host ${host} to the other machines that have it`;
  }
}

/** Those that have waited longest come first. */
function inOrder({ fleet }: PlanFacts): readonly FleetMachine[] {
  const keyOf = (machine: FleetMachine): string =>
    `${machine.metadata.creationTimestamp ?? ''}\n${machineName(machine)}`;
  return fleet.machines.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function isAbout(host: FleetHost, { metadata }: MachineObject): boolean {
  return (
    host.status.observed?.name === metadata.name || machineUidsOn(host).some((uid) => uid === metadata.uid)
  );
}

function controllerOf({ fleet, cluster }: PlanFacts): MachineController {
  const { hosts, machines, view, defaultPoolPrefix, now } = fleet;
  const gate = new ClusterGate(cluster.clusterApi(), () => now);
  const noProvider = (): Promise<never> => Promise.reject(new Error('there is no provider here'));
  return new MachineController({
    client: cluster.client,
    provider: { getServer: noProvider },
    server: noProvider,
    find: (key) => machines.find((machine) => machineName(machine) === key),
    findHost: (id) => hosts.find((host) => host.id === id),
    hosts: () => hosts,
    hostsAbout: (machine) => hosts.filter((host) => isAbout(host, machine)),
    view: () => view,
    pendingAtRest: () => pendingAtRest(fleet),
    meaning: (id) => machines.filter((machine) => hostsOf(machine).includes(id)),
    called: (name) => machines.filter(({ metadata }) => metadata.name === name),
    isListed: () => true,
    gate: (machine, how) => gate.of(machine, how),
    now: () => now,
    defaultPoolPrefix,
    claimPrefix: view.claimPrefix,
    secretsNamespace: '',
  });
}
