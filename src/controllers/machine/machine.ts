/**
 * Gives each machine a host and takes it back. Which host is meant is stored on the machine before the host is claimed,
 * and the claim is a compare-and-set on the host: so a machine never holds two hosts, and a host never serves two machines.
 */
import { annotations } from '../../api/annotations.ts';
import { finalizers } from '../../api/finalizers.ts';
import { refusalOf } from '../../fleet/candidates.ts';
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
import { timeText } from '../../fleet/time-text.ts';
import type { Provider, Server, ServerAddress } from '../../provider/port.ts';
import type { Controller } from '../../runtime/controller/controller.ts';
import { dropFinalizer } from '../../runtime/controller/finalizers.ts';
import { freshRead } from '../../runtime/controller/fresh-read.ts';
import type { ActionResult, Report } from '../../runtime/controller/plan.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';
import { dropCredentials } from './credentials.ts';
import { demandGone } from './demand-gone.ts';
import { LastClaims } from './last-claims.ts';
import { isGivenUpBy, orderOf, releaseFor } from './order.ts';
import type { Action, Gate, Observed } from './decision.ts';
import { decide, plan } from './plan.ts';
import { forgottenHostOf, otherClaimOn, recall, servedBy } from './recall.ts';
import { recordHost } from './record.ts';
import { happeningsOf, missingIn, statusPatch } from './status.ts';
import { guarded, isCalledGone, isGuarded, isKnown, placeOf } from './stored.ts';
import { isCalledForIt, namesakeOf, wishOf, zoneOf, zonesOf, type PoolRules } from './wish.ts';

export interface MachinePorts extends PoolRules {
  readonly client: KubeClient;
  readonly provider: Pick<Provider, 'getServer'>;
  /** The server as somebody read it a moment ago, or as it is now. */
  readonly server: (address: ServerAddress) => Promise<Server>;
  readonly find: (key: string) => MachineObject | undefined;
  readonly findHost: (id: string) => MacHostObject | undefined;
  readonly hosts: () => readonly MacHostObject[];
  /** Machines that say they have this host, or are about to. */
  readonly meaning: (hostId: string) => readonly MachineObject[];
  /** Those of this name, in any namespace. */
  readonly called: (name: string) => readonly MachineObject[];
  /** Whether a complete listing of the zone was taken up: only then does it say anything that a host has no object. */
  readonly isListed: (zone: string) => boolean;
  /** What stands above the machine; `fresh` just before something is taken. */
  readonly gate: (machine: MachineObject, how: 'remembered' | 'fresh') => Promise<Gate>;
  readonly now: () => number;
  readonly secretsNamespace: string;
}

export class MachineController implements Controller<Observed, Action> {
  readonly name = 'machine';
  readonly plan = plan;
  readonly happenings = happeningsOf;
  readonly #ports: MachinePorts;
  /** Hosts that a machine is about to claim, so that many machines at once do not all want the same one. */
  readonly #meant = new Map<string, { readonly uid: string; readonly until: number }>();

  readonly #claims: LastClaims;

  constructor(ports: MachinePorts) {
    this.#ports = ports;
    this.#claims = new LastClaims(ports.now);
  }

  async observe(key: string): Promise<Observed | undefined> {
    const { find, findHost, hosts, gate, now, called, isListed } = this.#ports;
    const { defaultPoolPrefix, claimPrefix, allowedPoolPrefixes } = this.#ports;
    const machine = find(key);
    if (machine === undefined) return undefined;
    // Nothing holds back one that leaves.
    const open = isLeaving(machine) ? 'open' : await gate(machine, 'remembered');
    const host = this.#hostOf(machine);
    const forgotten = findHost(forgottenHostOf(machine) ?? '');
    // In a large fleet most visits are of machines that need no other host.
    const isSettled = isLeaving(machine) || host?.spec?.claim?.uid === machine.metadata.uid;
    const others = (): readonly MacHostObject[] =>
      hosts().filter(
        ({ metadata, spec }) => spec?.claim !== undefined || !this.#isMeantByOther(metadata.name, machine),
      );
    const observed: Observed = {
      now: now(),
      machine,
      host,
      forgotten,
      isShared: host !== undefined && this.#isShared(host.metadata.name, machine),
      hosts: isSettled ? [] : others(),
      gate: open,
      isListed: zonesOf(machine).every(isListed),
      namesake: namesakeOf(machine, called(machine.metadata.name)),
      defaultPoolPrefix,
      claimPrefix,
      allowedPoolPrefixes,
    };
    this.#keepForIt(observed);
    return observed;
  }

  /** Of one that leaves first what it has yet to give up: somebody may have written two onto it. */
  #hostOf(machine: MachineObject): MacHostObject | undefined {
    const { findHost } = this.#ports;
    const said = hostsOf(machine).flatMap((id) => findHost(id) ?? []);
    const isLeft = (host: MacHostObject): boolean =>
      isGivenUpBy(host, machine, this.#isShared(host.metadata.name, machine));
    return (isLeaving(machine) ? said.find(isLeft) : undefined) ?? findHost(hostOf(machine) ?? '');
  }

  /** Many machines are looked at together: what one is about to take, the next must not see. */
  #keepForIt(observed: Observed): void {
    const { action } = decide(observed);
    if (action?.kind !== 'intend') return;
    const { uid } = observed.machine.metadata;
    this.#meant.set(action.hostId, { uid, until: observed.now + meantMs });
  }

  act(action: Action, { machine, host }: Observed): Promise<ActionResult> {
    switch (action.kind) {
      case 'guard':
        return this.#guard(machine);
      case 'intend':
        return this.#intend(machine, action.hostId);
      case 'claim':
        return this.#claim(machine, action.hostId);
      case 'recall':
        return this.#recall(machine, action.hostId);
      case 'record':
        return host === undefined ? Promise.resolve('overtaken') : this.#record(machine, host);
      case 'give-up':
        return this.#giveUp(machine, action);
      case 'let-go':
        return this.#letGo(machine);
    }
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
    if (host === undefined || !this.#isClaimable(host, current)) return 'overtaken';
    if (this.#servesOther(hostId, current) || !(await this.#mayTurnTo(hostId, current))) return 'overtaken';
    const { namespace = '', name, uid } = current.metadata;
    const { resourceVersion } = host.metadata;
    const merge = { metadata: { resourceVersion }, spec: { claim: { namespace, name, uid }, used: true } };
    await this.#claims.claim(uid, hostId, () =>
      this.#ports.client.patch(macHosts, { name: hostId }, { merge }),
    );
    this.#meant.delete(hostId);
    return 'asked';
  }

  #mayTurnTo(hostId: string, machine: MachineObject): Promise<boolean> {
    return this.#claims.mayTurnTo(machine.metadata.uid, hostId, (before) => this.#holds(machine, before));
  }

  /** Told by the cache, and for a short while by our own memory, which knows sooner. */
  #isMeantByOther(hostId: string, { metadata }: MachineObject): boolean {
    const meant = this.#meant.get(hostId);
    if (meant !== undefined && meant.until > this.#ports.now() && meant.uid !== metadata.uid) return true;
    return this.#ports.meaning(hostId).some((other) => other.metadata.uid !== metadata.uid);
  }

  /** One that was served by this host before may take it back from nobody; any other only takes a free one. */
  #isClaimable(host: MacHostObject, machine: MachineObject): boolean {
    const { release, hold } = host.spec ?? {};
    const kept = otherClaimOn(host, machine) ?? release ?? hold;
    if (machine.status?.serverID === host.metadata.name)
      return isCalledForIt(host, machine, this.#ports) === true && kept === undefined;
    const wish = wishOf(machine, this.#ports);
    return wish !== undefined && refusalOf(recordOf(host), wish) === undefined;
  }

  /** An older version may have given a host to several machines; it is not wiped under those that stay. */
  #isShared(hostId: string, { metadata }: MachineObject): boolean {
    const others = this.#ports.meaning(hostId).filter((other) => other.metadata.uid !== metadata.uid);
    return others.some((other) => other.status?.serverID === hostId && !isLeaving(other));
  }

  /** The object of a host may have been lost and made anew, while a machine still lives on it. */
  #servesOther(hostId: string, { metadata }: MachineObject): boolean {
    const others = this.#ports.meaning(hostId).filter((other) => other.metadata.uid !== metadata.uid);
    return others.some(({ status }) => status?.serverID === hostId);
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

  async #giveUp(machine: MachineObject, action: Extract<Action, { kind: 'give-up' }>): Promise<ActionResult> {
    const { client, now } = this.#ports;
    const current = await this.#prove(machine);
    if (current === undefined || !isLeaving(current)) return 'overtaken';
    const { object: host } = await freshRead(client, macHosts, { name: action.hostId });
    const isShared = this.#isShared(action.hostId, current);
    if (host === undefined || !isKnown(host) || !isGivenUpBy(host, current, isShared)) return 'overtaken';
    const { resourceVersion } = host.metadata;
    const { annotations: marks, ...spec } = orderOf(current, {
      at: timeText(now()),
      isShared,
      release: releaseFor(host, current, this.#ports),
    });
    const metadata = { resourceVersion, ...(marks !== undefined && { annotations: marks }) };
    await client.patch(macHosts, { name: action.hostId }, { merge: { metadata, spec } });
    return 'asked';
  }

  async #letGo(machine: MachineObject): Promise<ActionResult> {
    const { client } = this.#ports;
    const current = await this.#prove(machine);
    if (current === undefined || !isLeaving(current)) return 'overtaken';
    const said = new Set([...hostsOf(current), ...servedBy(current)]);
    for (const meant of said) if (await this.#stillHas(current, meant)) return 'overtaken';
    await dropCredentials(this.#ports, current);
    await dropFinalizer(client, { resource: machines, object: current }, finalizers.machine.key);
    this.#claims.forget(current.metadata.uid);
    return 'asked';
  }

  /** Whether it has a host that nobody was told to take back. */
  async #stillHas(machine: MachineObject, hostId: string): Promise<boolean> {
    const { object: host } = await freshRead(this.#ports.client, macHosts, { name: hostId });
    if (host !== undefined) return isGivenUpBy(host, machine, this.#isShared(hostId, machine));
    if (!servedBy(machine).includes(hostId) || isCalledGone(machine, hostId)) return false;
    // The object was lost, which says nothing about the server: only the provider can.
    await demandGone(this.#ports.provider, { zone: zoneOf(machine.spec), id: hostId });
    return false;
  }

  async #holds({ metadata }: MachineObject, hostId: string): Promise<boolean> {
    const { object: host } = await freshRead(this.#ports.client, macHosts, { name: hostId });
    return host?.spec?.claim?.uid === metadata.uid;
  }

  async #mayClaim(machine: MachineObject): Promise<boolean> {
    if (isLeaving(machine) || isPaused(machine)) return false;
    return (await this.#ports.gate(machine, 'fresh')) === 'open';
  }

  /** The machine as it is stored, if it is the one that was planned for. */
  async #prove(machine: MachineObject): Promise<MachineObject | undefined> {
    const { object } = await freshRead(this.#ports.client, machines, placeOf(machine));
    return object?.metadata.uid === machine.metadata.uid ? object : undefined;
  }
}

/** How long a host that is meant is left to its machine before the cache shows it. */
const meantMs = 30_000;
