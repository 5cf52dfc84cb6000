/**
 * The plan about machines. One controller instance plans all of them, so that each host is promised to one machine
 * only.
 */
import { MachineController } from '../../hosts/machine/controller.ts';
import type { Action } from '../../hosts/machine/decision.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { hostsOf, machineUidsOn, type MachineObject } from '../../hosts/state/objects.ts';
import { ClusterReadinessCache } from '../../manager/cluster-readiness.ts';
import { shortId } from './find-object.ts';
import { machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import { pendingAtRest } from './fleet-state.ts';
import { nothing, rowOf, sectionOf, type PlanFacts, type Row, type Section } from './plan-rows.ts';

export function machineSection(context: PlanFacts): Promise<Section> {
  const assumed = ['that the manager has completed an inventory of each zone since it became leader'];
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
    if (observed === undefined) return rowOf(object, nothing, 'the machine is gone');
    const { actions, notes } = controller.plan(observed);
    const why = notes.map(({ reason, detail }) => `${reason}: ${detail}`).join('; ');
    return rowOf(object, actions[0] === undefined ? nothing : actionText(actions[0]), why);
  } catch (error) {
    if (!isFleetError(error, 'rejected')) throw error;
    return rowOf(object, nothing, `not known: failed to read its Cluster: ${error.message}`);
  }
}

function actionText(action: Action): string {
  switch (action.kind) {
    case 'add-finalizer':
      return 'add the finalizer, without which its host could be left behind';
    case 'intend':
      return `take host ${shortId(action.hostId)}`;
    case 'claim':
      return `claim host ${shortId(action.hostId)}`;
    case 'restore-binding':
      return `restore its binding to host ${shortId(action.hostId)}`;
    case 'publish-host':
      return 'publish its host in the status';
    case 'hold':
      return `put host ${shortId(action.hostId)} on hold, because an operator took the machine off it`;
    case 'resume':
      return `take back host ${shortId(action.hostId)}, which was on hold for it`;
    case 'remove-finalizer':
      return 'remove the finalizer';
    case 'give-up':
      return giveUpText(shortId(action.hostId), action.release);
  }
}

function giveUpText(host: string, release: Extract<Action, { kind: 'give-up' }>['release']): string {
  switch (release.kind) {
    case 'terminate':
      return `order the end of the rent of host ${host}`;
    case 'pool':
      return `order the return of host ${host} to ${release.poolPrefix}`;
    case 'skip':
      return `keep host ${host} unchanged: there is no pool for it`;
    case 'person':
      return `keep host ${host} for the person who renamed its server`;
    case 'others':
      return `keep host ${host} for the other machines that have it`;
  }
}

/** The machines that have waited longest come first. */
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
  const clusterReadiness = new ClusterReadinessCache(cluster.clusterApi(), () => now);
  const noProvider = (): Promise<never> =>
    Promise.reject(new Error('muster plan has no provider connection'));
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
    clusterReadiness: (machine, how) => clusterReadiness.of(machine, how),
    now: () => now,
    defaultPoolPrefix,
    claimPrefix: view.claimPrefix,
    secretsNamespace: '',
  });
}
