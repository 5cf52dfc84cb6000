/**
 * Each effect of the machine controller. An action reads the machine again, proves its premise from stored objects, and
 * writes with the versions that were read.
 */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { isOwnServer, mayClaimAgain, ineligibility } from '../state/candidates.ts';
import {
  hasFinalizer,
  hostOf,
  hostsOf,
  isPaused,
  macHosts,
  machines,
  placeOf,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../state/objects.ts';
import { freshList, freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { requirementsOf, serverNameMatches } from './adoption/host-requirements.ts';
import { InFlightClaims } from './adoption/in-flight-claims.ts';
import { othersNaming, type IntendedHosts } from './adoption/intended-hosts.ts';
import { publishHost } from './binding/provision-status.ts';
import { isLeftToIt, restoreBinding } from './binding/restore-binding.ts';
import { isGivingUp, type Action, type GiveUpAction, type Observed } from './decision.ts';
import { giveUp, removeFinalizer } from './deletion/release-host.ts';
import { hold, resume } from './hold/hold-host.ts';
import type { MachinePorts } from './ports.ts';

export class MachineActions {
  readonly #ports: MachinePorts;
  readonly #intended: IntendedHosts;
  readonly #claims: InFlightClaims;

  constructor(ports: MachinePorts, intended: IntendedHosts) {
    this.#ports = ports;
    this.#intended = intended;
    this.#claims = new InFlightClaims(ports.now);
  }

  take(action: Action, { machine, host }: Observed): Promise<ActionResult> {
    if (isGivingUp(action)) return this.#giveUp(action, machine);
    switch (action.kind) {
      case 'add-finalizer':
        return this.#addFinalizer(machine);
      case 'intend':
        return this.#intend(machine, action.hostId);
      case 'claim':
        return this.#claim(machine, action.hostId);
      case 'restore-binding':
        return this.#restoreBinding(machine, action.hostId);
      case 'resume':
        return this.#resume(machine, action.hostId);
      case 'publish-host':
        return host === undefined ? Promise.resolve('precondition-lost') : this.#publishHost(machine, host);
    }
  }

  #giveUp(action: GiveUpAction, machine: MachineObject): Promise<ActionResult> {
    return this.#proved(machine, (current) => {
      if (action.kind === 'remove-finalizer') return this.#removeFinalizer(current);
      const write = action.kind === 'hold' ? hold : giveUp;
      return write(this.#ports, current, action.hostId);
    });
  }

  /** Compare-and-set on the machine. The finalizer is written too, so that no machine without it holds a claim. */
  async #intend(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || !(await this.#mayClaim(current))) return 'precondition-lost';
    // A bound machine has its host, even while the MacHost is missing.
    if ((current.status?.serverID ?? '') !== '') return 'precondition-lost';
    const before = hostOf(current);
    if (before !== undefined && (await holdsHost(this.#ports.client, current, before)))
      return 'precondition-lost';
    if (!(await this.#mayClaimNow(hostId, current))) return 'precondition-lost';
    const metadata = { ...withFinalizer(current), annotations: { [annotations.host.key]: hostId } };
    await this.#ports.client.patch(machines, placeOf(current), { merge: { metadata } });
    return 'requested';
  }

  async #restoreBinding(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || !(isDeleting(current) || (await this.#mayClaim(current))))
      return 'precondition-lost';
    return restoreBinding(this.#ports.client, current, hostId);
  }

  async #addFinalizer(machine: MachineObject): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || isDeleting(current) || hasFinalizer(current)) return 'precondition-lost';
    await this.#ports.client.patch(machines, placeOf(current), {
      merge: { metadata: withFinalizer(current) },
    });
    return 'requested';
  }

  async #claim(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    // Proceed only if the machine's annotation and status name this host and no other.
    const hasBindingConflict = current === undefined || hostsOf(current).join(' ') !== hostId;
    if (hasBindingConflict || !hasFinalizer(current) || !(await this.#mayClaim(current)))
      return 'precondition-lost';
    const { object: host } = await freshRead(this.#ports.client, macHosts, { name: hostId });
    if (host === undefined || !(await isClaimable(this.#ports, host, current))) return 'precondition-lost';
    if (this.#servesOther(host, current) || !(await this.#mayClaimNow(hostId, current)))
      return 'precondition-lost';
    const { namespace = '', name, uid } = current.metadata;
    const claim = { namespace, name, uid };
    const spec = { claim, lastOwner: claim, used: true, personName: null };
    const merge = { metadata: { resourceVersion: host.metadata.resourceVersion }, spec };
    await this.#claims.claim(uid, hostId, () =>
      this.#ports.client.patch(macHosts, { name: hostId }, { merge }),
    );
    this.#intended.forget(hostId);
    return 'requested';
  }

  #mayClaimNow(hostId: string, machine: MachineObject): Promise<boolean> {
    return this.#claims.mayClaim(machine.metadata.uid, hostId, (before) =>
      holdsHost(this.#ports.client, machine, before),
    );
  }

  /** The MacHost may have been lost and created again while a machine still runs on the host. */
  #servesOther(host: MacHostObject, { metadata }: MachineObject): boolean {
    const id = host.metadata.name;
    return othersNaming(this.#ports, host, metadata.uid).some(({ status }) => status?.serverID === id);
  }

  async #publishHost(machine: MachineObject, host: MacHostObject): Promise<ActionResult> {
    const { client, server, secretsNamespace } = this.#ports;
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || !(await this.#mayClaim(current))) return 'precondition-lost';
    const id = host.metadata.name;
    if (hostOf(current) !== id || !(await holdsHost(client, current, id))) return 'precondition-lost';
    const seen = await server({ zone: host.status?.observed?.zone ?? '', id });
    return publishHost({ client, secretsNamespace }, { machine: current, server: seen });
  }

  async #removeFinalizer(current: MachineObject): Promise<ActionResult> {
    const result = await removeFinalizer(this.#ports, current);
    if (result === 'requested') this.#claims.forget(current.metadata.uid);
    return result;
  }

  async #resume(machine: MachineObject, hostId: string): Promise<ActionResult> {
    return this.#proved(machine, async (current) =>
      (await this.#mayClaim(current)) ? resume(this.#ports.client, current, hostId) : 'precondition-lost',
    );
  }

  async #mayClaim(machine: MachineObject): Promise<boolean> {
    // mutation: paused-machine-may-not-claim
    if (isDeleting(machine) || isPaused(machine)) return false;
    return (await this.#ports.clusterReadiness(machine, 'fresh')) === 'ready';
  }

  async #proved(
    machine: MachineObject,
    act: (current: MachineObject) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    return current === undefined ? 'precondition-lost' : act(current);
  }
}

/** The machine as it is stored, unless another machine has its name now. */
async function readMachine(client: KubeClient, machine: MachineObject): Promise<MachineObject | undefined> {
  const { object } = await freshRead(client, machines, placeOf(machine));
  return object?.metadata.uid === machine.metadata.uid ? object : undefined;
}

/** Whether the stored claim of the host is that of the machine. */
async function holdsHost(client: KubeClient, { metadata }: MachineObject, hostId: string): Promise<boolean> {
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  return host?.spec?.claim?.uid === metadata.uid;
}

/**
 * A machine bound to this host may take it back if no other machine holds it. Any other machine takes only a free
 * host.
 */
async function isClaimable(
  ports: MachinePorts,
  host: MacHostObject,
  machine: MachineObject,
): Promise<boolean> {
  const { client } = ports;
  if (machine.status?.serverID === host.metadata.name)
    return serverNameMatches(host, machine, ports) === true && isLeftToIt(client, host, machine);
  if (host.status?.observed?.name === machine.metadata.name)
    return isOwnServer(host, machine, await freshList(client, machines));
  const requirements = requirementsOf(machine, { ...ports, ripePending: ports.pendingAtRest() });
  if (requirements !== undefined && ineligibility(recordOf(host), requirements) === undefined) return true;
  return mayClaimAgain(host, machine, { machines: await freshList(client, machines), requirements });
}

/** The metadata with our finalizer, for a write that fails if the object has changed. */
function withFinalizer({ metadata }: MachineObject) {
  const { finalizers: had = [], resourceVersion } = metadata;
  const held = had.includes(finalizers.machine.key) ? had : [...had, finalizers.machine.key];
  return { resourceVersion, finalizers: held };
}
