/**
 * Gives each machine a host and takes it back. Which host is meant is stored on the machine before the host is claimed,
 * and the claim is a compare-and-set on the host: so a machine never holds two hosts, and a host never serves two machines.
 */
import { annotations } from '../../api/annotations.ts';
import {
  hostOf,
  hostsOf,
  isLeaving,
  isPaused,
  macHosts,
  machines,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../../fleet/objects.ts';
import { hasGivenUp } from '../../fleet/ownership.ts';
import type { Controller } from '../../runtime/controller/controller.ts';
import { freshRead } from '../../runtime/controller/fresh-read.ts';
import type { ActionResult, Report } from '../../runtime/controller/plan.ts';
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
} from './giving-up.ts';
import { IntendedHosts } from './intended-hosts.ts';
import { LastClaims } from './last-claims.ts';
import type { MachinePorts } from './machine-ports.ts';
import { isGivenUpBy } from './order.ts';
import { namedServers } from './own-name.ts';
import { decide, plan } from './plan.ts';
import { forgottenHostOf, recall } from './recall.ts';
import { recordHost } from './record.ts';
import { resume } from './resume.ts';
import { happeningsOf, missingIn, statusPatch } from './status.ts';
import { guarded, isGuarded, placeOf } from './stored.ts';
import { namesakeOf, zonesOf } from './wish.ts';

export class MachineController implements Controller<Observed, Action> {
  readonly name = 'machine';
  readonly plan = plan;
  readonly happenings = happeningsOf;
  readonly #ports: MachinePorts;
  readonly #intended: IntendedHosts;
  readonly #claims: LastClaims;

  constructor(ports: MachinePorts) {
    this.#ports = ports;
    this.#intended = new IntendedHosts(ports.now);
    this.#claims = new LastClaims(ports.now);
  }

  async observe(key: string): Promise<Observed | undefined> {
    const { find, findHost, gate, now, called, isListed } = this.#ports;
    const { defaultPoolPrefix, claimPrefix, allowedPoolPrefixes } = this.#ports;
    const machine = find(key);
    if (machine === undefined) return undefined;
    // Nothing holds back a machine that is being deleted.
    const open = isLeaving(machine) ? 'open' : await gate(machine, 'remembered');
    const host = this.#hostOf(machine);
    // In a large fleet most visits are of machines that need no other host.
    const isSettled = isLeaving(machine) || host?.spec?.claim?.uid === machine.metadata.uid;
    const observed: Observed = {
      now: now(),
      machine,
      host,
      forgotten: findHost(forgottenHostOf(machine) ?? ''),
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

  /** Free hosts that another machine is about to take are left out. */
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

  /** Of one that leaves first what it has yet to give up: somebody may have written two onto it. */
  #hostOf(machine: MachineObject): MacHostObject | undefined {
    const { findHost } = this.#ports;
    const said = hostsOf(machine).flatMap((id) => findHost(id) ?? []);
    const isLeft = (host: MacHostObject): boolean =>
      isGivenUpBy(host, machine, isShared(this.#ports, host, machine));
    return (isLeaving(machine) ? said.find(isLeft) : undefined) ?? findHost(hostOf(machine) ?? '');
  }

  /** Many machines are looked at together: what one is about to take, the next must not see. */
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
        return this.#recall(machine, action.hostId);
      case 'resume':
        return this.#resume(machine, action.hostId);
      case 'record':
        return host === undefined ? Promise.resolve('overtaken') : this.#record(machine, host);
    }
  }

  #giveUp(action: GiveUpAction, machine: MachineObject): Promise<ActionResult> {
    return this.#proved(machine, (current) => {
      if (action.kind === 'let-go') return this.#letGo(current);
      const carryOut = action.kind === 'hold' ? hold : giveUp;
      return carryOut(this.#ports, current, action.hostId);
    });
  }

  async status(observed: Observed, { results }: Report<Action>): Promise<void> {
    // What was just done is seen by the next visit, which the change itself brings about.
    if (results.some(({ outcome }) => outcome === 'asked')) return;
    const { machine } = observed;
    const status = statusPatch(observed, missingIn(results) ?? decide(observed));
    if (status === undefined) return;
    const { resourceVersion } = machine.metadata;
    const place = { ...placeOf(machine), subresource: 'status' };
    await this.#ports.client.patch(machines, place, { merge: { metadata: { resourceVersion }, status } });
  }

  /** Compare-and-set on the machine; with the finalizer, so that nothing is claimed by one that nobody holds. */
  async #intend(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await this.#prove(machine);
    if (current === undefined || !(await this.#mayClaim(current))) return 'overtaken';
    // One that was served has its host, even while there is no object for it.
    if ((current.status?.serverID ?? '') !== '') return 'overtaken';
    const before = hostOf(current);
    if (before !== undefined && (await this.#holds(current, before))) return 'overtaken';
    if (!(await this.#mayTurnTo(hostId, current))) return 'overtaken';
    const metadata = { ...guarded(current), annotations: { [annotations.host.key]: hostId } };
    await this.#ports.client.patch(machines, placeOf(current), { merge: { metadata } });
    return 'asked';
  }

  async #recall(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await this.#prove(machine);
    if (current === undefined || !(isLeaving(current) || (await this.#mayClaim(current)))) return 'overtaken';
    return recall(this.#ports.client, current, hostId);
  }

  async #guard(machine: MachineObject): Promise<ActionResult> {
    const current = await this.#prove(machine);
    if (current === undefined || isLeaving(current) || isGuarded(current)) return 'overtaken';
    await this.#ports.client.patch(machines, placeOf(current), { merge: { metadata: guarded(current) } });
    return 'asked';
  }

  async #claim(machine: MachineObject, hostId: string): Promise<ActionResult> {
    const current = await this.#prove(machine);
    // It speaks of this one, and of no other that it may have already.
    const isTorn = current === undefined || hostsOf(current).join(' ') !== hostId;
    if (isTorn || !isGuarded(current) || !(await this.#mayClaim(current))) return 'overtaken';
    const { object: host } = await freshRead(this.#ports.client, macHosts, { name: hostId });
    if (host === undefined || !(await isClaimable(this.#ports, host, current))) return 'overtaken';
    if (this.#servesOther(host, current) || !(await this.#mayTurnTo(hostId, current))) return 'overtaken';
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

  #mayTurnTo(hostId: string, machine: MachineObject): Promise<boolean> {
    return this.#claims.mayTurnTo(machine.metadata.uid, hostId, (before) => this.#holds(machine, before));
  }

  /** Told by the cache, and for a short while by our own memory, which knows sooner. */
  #isMeantByOther(host: MacHostObject, { metadata }: MachineObject): boolean {
    const isIntended = this.#intended.isOfOther(host.metadata.name, metadata.uid);
    return isIntended || this.#othersMeaning(host, metadata.uid).length > 0;
  }

  #othersMeaning(host: MacHostObject, own: string): readonly MachineObject[] {
    const all = this.#ports.meaning(host.metadata.name);
    return all.filter((one) => one.metadata.uid !== own && !hasGivenUp(one, recordOf(host)));
  }

  /** The object of a host may have been lost and made anew, while a machine still lives on it. */
  #servesOther(host: MacHostObject, { metadata }: MachineObject): boolean {
    const id = host.metadata.name;
    return this.#othersMeaning(host, metadata.uid).some(({ status }) => status?.serverID === id);
  }

  async #record(machine: MachineObject, host: MacHostObject): Promise<ActionResult> {
    const { client, server, secretsNamespace } = this.#ports;
    const current = await this.#prove(machine);
    if (current === undefined || !(await this.#mayClaim(current))) return 'overtaken';
    if (hostOf(current) !== host.metadata.name || !(await this.#holds(current, host.metadata.name)))
      return 'overtaken';
    const zone = host.status?.observed?.zone ?? '';
    const seen = await server({ zone, id: host.metadata.name });
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

  async #holds({ metadata }: MachineObject, hostId: string): Promise<boolean> {
    const { object: host } = await freshRead(this.#ports.client, macHosts, { name: hostId });
    return host?.spec?.claim?.uid === metadata.uid;
  }

  async #mayClaim(machine: MachineObject): Promise<boolean> {
    // mutation: paused-machine-may-not-claim
    if (isLeaving(machine) || isPaused(machine)) return false;
    return (await this.#ports.gate(machine, 'fresh')) === 'open';
  }

  async #proved(
    machine: MachineObject,
    act: (current: MachineObject) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const current = await this.#prove(machine);
    return current === undefined ? 'overtaken' : act(current);
  }

  /** The machine as it is stored, if it is the one that was planned for. */
  async #prove(machine: MachineObject): Promise<MachineObject | undefined> {
    const { object } = await freshRead(this.#ports.client, machines, placeOf(machine));
    return object?.metadata.uid === machine.metadata.uid ? object : undefined;
  }
}
