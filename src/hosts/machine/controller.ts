/**
 * Gives each machine a host and releases it. The host is named on the machine before it is claimed, and the claim is
 * a compare-and-set on the host. So a machine never holds two hosts, and a host never serves two machines.
 */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { annotations } from '../../api/names/annotations.ts';
import {
  hostOf,
  hostsOf,
  isPaused,
  macHosts,
  machines,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../state/objects.ts';
import { hasGivenUp } from '../state/ownership.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import { isClaimable, isMeantBy } from './claimable.ts';
import { isGivingUp, type Action, type GiveUpAction, type Observed } from './decision.ts';
import {
  giveUp,
  hold,
  holdsOf,
  isServerNamedByPerson,
  isServingOthers,
  isShared,
  letGo,
  type Holds,
} from './actions.ts';
import { holdsHost, readMachine } from './fresh-reads.ts';
import { IntendedHosts } from './adoption/intended-hosts.ts';
import { InFlightClaims } from './adoption/in-flight-claims.ts';
import type { MachinePorts } from './ports.ts';
import { mustRelease } from './deletion/release-order.ts';
import { namedServers } from './own-name.ts';
import { decide, plan } from './plan.ts';
import { hostFromProviderId, restoreBinding } from './binding/restore-binding.ts';
import { recordHost } from './binding/provision-status.ts';
import { resume } from './hold/hold-host.ts';
import { eventsFor, missingIn, statusPatch } from './status.ts';
import { withFinalizer, hasFinalizer, placeOf } from './machine-predicates.ts';
import { namesakeOf, zonesOf } from './adoption/host-requirements.ts';

export class MachineController implements Controller<Observed, Action> {
  readonly name = 'machine';
  readonly plan = plan;
  readonly events = eventsFor;
  readonly #ports: MachinePorts;
  readonly #intended: IntendedHosts;
  readonly #claims: InFlightClaims;

  constructor(ports: MachinePorts) {
    this.#ports = ports;
    this.#intended = new IntendedHosts(ports.now);
    this.#claims = new InFlightClaims(ports.now);
  }

  async observe(key: string): Promise<Observed | undefined> {
    const { find, findHost, gate, now, called, isListed } = this.#ports;
    const { defaultPoolPrefix, claimPrefix, allowedPoolPrefixes } = this.#ports;
    const machine = find(key);
    if (machine === undefined) return undefined;
    // Neither a paused nor an unready Cluster delays a deleted machine.
    const open = isDeleting(machine) ? 'open' : await gate(machine, 'remembered');
    const host = this.#hostOf(machine);
    // In a large fleet most visits are of machines that need no new host.
    const isSettled = isDeleting(machine) || host?.spec?.claim?.uid === machine.metadata.uid;
    const observed: Observed = {
      now: now(),
      machine,
      host,
      forgotten: findHost(hostFromProviderId(machine) ?? ''),
      ...this.#othersOn(host, machine),
      ...this.#named(machine, host, isSettled),
      hosts: isSettled ? [] : this.#hostsFor(machine),
      gate: open,
      isListed: zonesOf(machine).every(isListed),
      namesake: namesakeOf(machine, called(machine.metadata.name)),
      ripePending: isSettled ? undefined : this.#ports.pendingAtRest(),
      defaultPoolPrefix,
      claimPrefix,
      allowedPoolPrefixes,
    };
    this.#keepForIt(observed);
    return observed;
  }

  #othersOn(
    host: MacHostObject | undefined,
    machine: MachineObject,
  ): Pick<Observed, 'isShared' | 'isServingOthers' | 'isNamedByPerson'> {
    if (host === undefined) return { isShared: false, isServingOthers: false, isNamedByPerson: false };
    return {
      isShared: isShared(this.#ports, host, machine),
      isServingOthers: isServingOthers(this.#ports, host, machine),
      isNamedByPerson: isServerNamedByPerson(this.#ports, host),
    };
  }

  /** Leaves out free hosts that another machine is about to claim. */
  #hostsFor(machine: MachineObject): readonly MacHostObject[] {
    return this.#ports
      .hosts()
      .filter((host) => host.spec?.claim !== undefined || !this.#isMeantByOther(host, machine));
  }

  #named(
    machine: MachineObject,
    host: MacHostObject | undefined,
    isSettled: boolean,
  ): Pick<Observed, 'named' | 'mayClaimAgain' | keyof Holds> {
    const { hostsAbout, view } = this.#ports;
    const { ownershipOf } = view();
    const ownershipIn = (one: MacHostObject) => ownershipOf(recordOf(one));
    return {
      named: isSettled ? [] : namedServers(hostsAbout(machine), machine, ownershipIn),
      mayClaimAgain: !isSettled && isMeantBy(this.#ports, host, machine),
      ...holdsOf(this.#ports, machine),
    };
  }

  /**
   * For a deleted machine, first a host that it still has to release: an operator may have written two hosts onto it.
   */
  #hostOf(machine: MachineObject): MacHostObject | undefined {
    const { findHost } = this.#ports;
    const said = hostsOf(machine).flatMap((id) => findHost(id) ?? []);
    const isLeft = (host: MacHostObject): boolean =>
      mustRelease(host, machine, isShared(this.#ports, host, machine));
    return (isDeleting(machine) ? said.find(isLeft) : undefined) ?? findHost(hostOf(machine) ?? '');
  }

  /** Many machines are planned at once: the next machine must not choose the same host. */
  #keepForIt(observed: Observed): void {
    const { action } = decide(observed);
    if (action?.kind !== 'intend') return;
    this.#intended.keep(action.hostId, observed.machine.metadata.uid);
  }

  act(action: Action, { machine, host }: Observed): Promise<ActionResult> {
    if (isGivingUp(action)) return this.#giveUp(action, machine);
    switch (action.kind) {
      case 'guard':
        return this.#guard(machine);
      case 'intend':
        return this.#intend(machine, action.hostId);
      case 'claim':
        return this.#claim(machine, action.hostId);
      case 'recall':
        return this.#restoreBinding(machine, action.hostId);
      case 'resume':
        return this.#resume(machine, action.hostId);
      case 'record':
        return host === undefined ? Promise.resolve('overtaken') : this.#record(machine, host);
    }
  }

  #giveUp(action: GiveUpAction, machine: MachineObject): Promise<ActionResult> {
    return this.#proved(machine, (current) => {
      if (action.kind === 'let-go') return this.#letGo(current);
      const confirmAndApply = action.kind === 'hold' ? hold : giveUp;
      return confirmAndApply(this.#ports, current, action.hostId);
    });
  }

  async status(observed: Observed, { results }: Report<Action>): Promise<void> {
    // The change made by this visit triggers the next visit, which writes the status.
    if (results.some(({ outcome }) => outcome === 'asked')) return;
    const { machine } = observed;
    const status = statusPatch(observed, missingIn(results) ?? decide(observed));
    if (status === undefined) return;
    const { resourceVersion } = machine.metadata;
    const place = { ...placeOf(machine), subresource: 'status' };
    await this.#ports.client.patch(machines, place, { merge: { metadata: { resourceVersion }, status } });
  }

  /** Compare-and-set on the machine. The finalizer is written too, so that no machine without it holds a claim. */
  async #intend(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || !(await this.#mayClaim(current))) return 'overtaken';
    // A bound machine has its host, even while the MacHost is missing.
    if ((current.status?.serverID ?? '') !== '') return 'overtaken';
    const before = hostOf(current);
    if (before !== undefined && (await holdsHost(this.#ports.client, current, before))) return 'overtaken';
    if (!(await this.#mayClaimNow(hostId, current))) return 'overtaken';
    const metadata = { ...withFinalizer(current), annotations: { [annotations.host.key]: hostId } };
    await this.#ports.client.patch(machines, placeOf(current), { merge: { metadata } });
    return 'asked';
  }

  async #restoreBinding(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || !(isDeleting(current) || (await this.#mayClaim(current))))
      return 'overtaken';
    return restoreBinding(this.#ports.client, current, hostId);
  }

  async #guard(machine: MachineObject): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || isDeleting(current) || hasFinalizer(current)) return 'overtaken';
    await this.#ports.client.patch(machines, placeOf(current), {
      merge: { metadata: withFinalizer(current) },
    });
    return 'asked';
  }

  async #claim(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    // Proceed only if the machine's annotation and status name this host and no other.
    const isTorn = current === undefined || hostsOf(current).join(' ') !== hostId;
    if (isTorn || !hasFinalizer(current) || !(await this.#mayClaim(current))) return 'overtaken';
    const { object: host } = await freshRead(this.#ports.client, macHosts, { name: hostId });
    if (host === undefined || !(await isClaimable(this.#ports, host, current))) return 'overtaken';
    if (this.#servesOther(host, current) || !(await this.#mayClaimNow(hostId, current))) return 'overtaken';
    const { namespace = '', name, uid } = current.metadata;
    const claim = { namespace, name, uid };
    const spec = { claim, lastOwner: claim, used: true, personName: null };
    const merge = { metadata: { resourceVersion: host.metadata.resourceVersion }, spec };
    await this.#claims.claim(uid, hostId, () =>
      this.#ports.client.patch(macHosts, { name: hostId }, { merge }),
    );
    this.#intended.forget(hostId);
    return 'asked';
  }

  #mayClaimNow(hostId: string, machine: MachineObject): Promise<boolean> {
    return this.#claims.mayClaim(machine.metadata.uid, hostId, (before) =>
      holdsHost(this.#ports.client, machine, before),
    );
  }

  /** By the cache, and for a short while by this process's memory, which is ahead of the cache. */
  #isMeantByOther(host: MacHostObject, { metadata: { uid } }: MachineObject): boolean {
    return this.#intended.isOfOther(host.metadata.name, uid) || this.#othersMeaning(host, uid).length > 0;
  }

  #othersMeaning(host: MacHostObject, own: string): readonly MachineObject[] {
    const all = this.#ports.meaning(host.metadata.name);
    return all.filter((one) => one.metadata.uid !== own && !hasGivenUp(one, recordOf(host)));
  }

  /** The MacHost may have been lost and created again while a machine still runs on the host. */
  #servesOther(host: MacHostObject, { metadata }: MachineObject): boolean {
    const id = host.metadata.name;
    return this.#othersMeaning(host, metadata.uid).some(({ status }) => status?.serverID === id);
  }

  async #record(machine: MachineObject, host: MacHostObject): Promise<ActionResult> {
    const { client, server, secretsNamespace } = this.#ports;
    const current = await readMachine(this.#ports.client, machine);
    if (current === undefined || !(await this.#mayClaim(current))) return 'overtaken';
    const id = host.metadata.name;
    if (hostOf(current) !== id || !(await holdsHost(client, current, id))) return 'overtaken';
    const seen = await server({ zone: host.status?.observed?.zone ?? '', id });
    return recordHost({ client, secretsNamespace }, { machine: current, server: seen });
  }

  async #letGo(current: MachineObject): Promise<ActionResult> {
    const result = await letGo(this.#ports, current);
    if (result === 'asked') this.#claims.forget(current.metadata.uid);
    return result;
  }

  async #resume(machine: MachineObject, hostId: string): Promise<ActionResult> {
    return this.#proved(machine, async (current) =>
      (await this.#mayClaim(current)) ? resume(this.#ports.client, current, hostId) : 'overtaken',
    );
  }

  async #mayClaim(machine: MachineObject): Promise<boolean> {
    // mutation: paused-machine-may-not-claim
    if (isDeleting(machine) || isPaused(machine)) return false;
    return (await this.#ports.gate(machine, 'fresh')) === 'open';
  }

  async #proved(
    machine: MachineObject,
    act: (current: MachineObject) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const current = await readMachine(this.#ports.client, machine);
    return current === undefined ? 'overtaken' : act(current);
  }
}
