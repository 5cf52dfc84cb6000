/**
 * S21: no destructive call reaches a server for which a live machine speaks, that a person holds or named, or that is in the
 * middle of an adoption. Each call is compared with what was stored a minute before the call was sent: the manager reads
 * everything again in that minute. The rules are written a second time here, apart from the product.
 */
import { isClaimPendingName } from '../../../../src/api/names/host-names.ts';
import type { ApiRequest } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import type { World } from '../../world/world.ts';
import type { FleetTruth } from './fleet-truth.ts';
import type { Host, Machine, Order } from './stored-objects.ts';

/** A manager that has just read that a call is allowed may send that call for this long. */
const readMs = 60_000;

type Way = 'claim' | 'name' | 'serverID' | 'providerID' | 'annotation';

interface Speaking {
  readonly since: number;
  readonly machine: Machine;
  readonly ways: readonly Way[];
}

interface SeenOrder {
  readonly order: Order;
  readonly since: number;
  /** The time until which the order stood. */
  until: number;
}

/** A destructive call, with what was stored when its sender last had to read everything. */
interface SentCall {
  readonly id: string;
  readonly knownAt: number;
  readonly orders: readonly SeenOrder[];
  /** The call gives the server this name, which is that of the machine with the claim. */
  readonly promotedTo: string | undefined;
}

type Destructive = Extract<ApiRequest, { readonly id: string }>;

export class CallRules {
  readonly #world: World;
  readonly #truth: FleetTruth;
  /** By host and uid of the machine. */
  #speaking = new Map<string, Speaking>();
  readonly #machineSince = new Map<string, number>();
  readonly #orders = new Map<string, readonly SeenOrder[]>();
  /** By host: since when it is held, and since when its server has had a pending name. */
  #heldSince = new Map<string, number>();
  #pendingSince = new Map<string, number>();
  /** By host: the machine whose server id an operator cleared, and when. */
  readonly #cleared = new Map<string, { readonly uid: string; readonly at: number }>();
  /** By host and uid of the machine: until when the host was claimed for that machine. */
  readonly #claimedUntil = new Map<string, number>();
  #looked = '';

  constructor(world: World, truth: FleetTruth) {
    this.#world = world;
    this.#truth = truth;
  }

  invariant(): Invariant {
    return {
      id: 'S21',
      says: 'nothing is taken from a live machine, an operator, a person or an adoption',
      when: 'each',
      check: () => {
        this.#look();
        return undefined;
      },
    };
  }

  /** An operator cleared the server id of a paused machine: from now on no call may reach its host. */
  cleared(machine: Machine): void {
    const { uid, serverId, isPaused, isDeleting } = machine;
    const host = this.#truth.hosts.find(({ id }) => id === serverId);
    if (!isPaused || isDeleting || host === undefined) return;
    if (isUntouched(host) && this.#isHostOf(machine, host))
      this.#cleared.set(serverId, { uid, at: this.#now });
  }

  #isHostOf({ name, uid }: Machine, { id, claimUid, state }: Host): boolean {
    return this.#truth.mac(id)?.name === name || (claimUid === uid && state === 'Owned');
  }

  /** A person removed the hold. */
  letGo(hostId: string): void {
    this.#cleared.delete(hostId);
  }

  /** The MacHost is lost. A hold keeps it; without a hold nothing says what the operator meant. */
  lost(hostId: string): void {
    if (!this.#truth.hosts.some(({ id, isHeld }) => id === hostId && isHeld)) this.#cleared.delete(hostId);
  }

  /** The machine was unpaused, which ends the effect of the cleared id. */
  unpaused(uid: string): void {
    for (const [hostId, cleared] of this.#cleared) if (cleared.uid === uid) this.#cleared.delete(hostId);
  }

  /** The finalizer was removed by hand: facts that the manager had not written by then are lost. */
  forced(uid: string): void {
    for (const [hostId, cleared] of this.#cleared) {
      const isHeld = this.#truth.hosts.some(({ id, isHeld: held }) => id === hostId && held);
      if (cleared.uid === uid && !isHeld) this.#cleared.delete(hostId);
    }
  }

  /** Called when a write reaches the cloud, before the write is done. */
  arriving(request: ApiRequest, sentAt: number): void {
    this.#look();
    if (!isDestructive(request)) return;
    const knownAt = sentAt - readMs;
    const why = this.#objection(request, knownAt);
    if (why !== undefined) this.#world.violate('S21', `${request.what} of ${request.id}: ${why}`);
  }

  #objection(request: Destructive, knownAt: number): string | undefined {
    const { id } = request;
    if (isBefore(this.#heldSince.get(id), knownAt)) return 'a person keeps the host';
    if (isBefore(this.#cleared.get(id)?.at, knownAt)) return 'an operator cleared its machine';
    const rename = request.what === 'update server' ? request.name : undefined;
    const promotedTo = rename !== undefined && this.#wasClaimant(id, rename, knownAt) ? rename : undefined;
    const orders = (this.#orders.get(id) ?? []).filter(({ until }) => until >= knownAt);
    return (
      this.#objectionByName({ id, knownAt, orders, promotedTo }) ??
      this.#objectionByMachine({ id, knownAt, orders, promotedTo })
    );
  }

  #objectionByName({ id, knownAt, orders, promotedTo }: SentCall): string | undefined {
    const isPending = isBefore(this.#pendingSince.get(id), knownAt) && promotedTo === undefined;
    if (isPending && !orders.some(isOfPersonOrMachine)) return 'its server carries a pending name';
    const mayRenamed = orders.some(({ order }) => order.serverName !== '');
    return this.#isPersonNamed(id, knownAt) && !mayRenamed ? 'a person named its server' : undefined;
  }

  #objectionByMachine({ id, knownAt, orders, promotedTo }: SentCall): string | undefined {
    const speaking = [...this.#speaking].filter(([key]) => key.startsWith(`${id} `)).map(([, one]) => one);
    const objector = speaking.find(
      (one) =>
        one.since <= knownAt &&
        (promotedTo === undefined || !mayBePassed(one, promotedTo)) &&
        !orders.some((seen) => this.#stands(seen, one)),
    );
    return objector && `${objector.machine.name} speaks for it by ${objector.ways.join(', ')}`;
  }

  /** A person may delete the MacHost, and the claim with it, while the call of its sender is on the way. */
  #wasClaimant(id: string, name: string, knownAt: number): boolean {
    return this.#truth.machines.some(
      (machine) => machine.name === name && (this.#claimedUntil.get(`${id} ${machine.uid}`) ?? -1) >= knownAt,
    );
  }

  #isPersonNamed(id: string, knownAt: number): boolean {
    const { name, at } = this.#truth.personName(id) ?? {};
    return name !== undefined && this.#truth.mac(id)?.name === name && isBefore(at, knownAt);
  }

  /** An order stands if the machine gave it, if it overrules the machine's claims, or if they are lesser claims. */
  #stands({ order, since }: SeenOrder, { machine, ways }: Speaking): boolean {
    if (machine.isDeleting && order.machineUid === machine.uid) return true;
    const overruled = order.overrules.find(({ uid }) => uid === machine.uid)?.by ?? [];
    if (ways.every((way) => overruled.includes(way))) return true;
    return (
      order.machineUid !== '' && order.machineUid !== machine.uid && this.#isLesser(since, { machine, ways })
    );
  }

  /** The order of the last owner stands against a later machine of that name, and against a mere intent. */
  #isLesser(orderedAt: number, { machine, ways }: Pick<Speaking, 'machine' | 'ways'>): boolean {
    const createdAt = this.#machineSince.get(machine.uid) ?? 0;
    return isIntentOnly(machine, ways) || (isNameOnly(machine, ways) && createdAt >= orderedAt);
  }

  get #now(): number {
    return this.#world.clock.now();
  }

  #look(): void {
    const looked = `${this.#truth.changes} ${this.#truth.serverNames().join(' ')}`;
    if (looked === this.#looked) return;
    this.#looked = looked;
    const { machines, hosts } = this.#truth;
    for (const { uid } of machines) this.#machineSince.set(uid, this.#machineSince.get(uid) ?? this.#now);
    this.#speaking = new Map(hosts.flatMap((host) => machines.flatMap((one) => this.#speaker(host, one))));
    const isPending = ({ id }: Host): boolean => isClaimPendingName(this.#truth.mac(id)?.name ?? '');
    this.#heldSince = this.#since(
      this.#heldSince,
      hosts.filter(({ isHeld }) => isHeld),
    );
    this.#pendingSince = this.#since(this.#pendingSince, hosts.filter(isPending));
    for (const host of hosts) this.#noteOrder(host);
    this.#noteClaims(hosts);
  }

  #noteClaims(hosts: readonly Host[]): void {
    const now = new Set(hosts.map(({ id, claimUid = '' }) => `${id} ${claimUid}`));
    for (const [claim, until] of this.#claimedUntil)
      if (until === Number.POSITIVE_INFINITY && !now.has(claim)) this.#claimedUntil.set(claim, this.#now);
    for (const claim of now) this.#claimedUntil.set(claim, Number.POSITIVE_INFINITY);
  }

  #speaker(host: Host, machine: Machine): readonly (readonly [string, Speaking])[] {
    const ways = waysOf(host, machine, this.#truth.mac(host.id)?.name);
    if (ways.length === 0) return [];
    const key = `${host.id} ${machine.uid}`;
    const since = this.#speaking.get(key)?.since ?? this.#now;
    return [[key, { since, machine, ways }]];
  }

  #since(before: ReadonlyMap<string, number>, hosts: readonly Host[]): Map<string, number> {
    return new Map(hosts.map(({ id }) => [id, before.get(id) ?? this.#now]));
  }

  #noteOrder({ id, release }: Host): void {
    const seen = this.#orders.get(id) ?? [];
    const last = seen.at(-1);
    if (last !== undefined && last.until === Number.POSITIVE_INFINITY) {
      if (JSON.stringify(last.order) === JSON.stringify(release)) return;
      last.until = this.#now;
    }
    if (release === undefined) return;
    const until = Number.POSITIVE_INFINITY;
    const isRewritten = last?.until === this.#now && last.order.machineUid === release.machineUid;
    const since = isRewritten ? last.since : this.#orderedSince(release);
    this.#orders.set(id, [...seen.slice(-3), { order: release, since, until }]);
    this.#checkPending(id, release);
  }

  /** Since then a machine that is created waits for the name. Orders of machines may come back with a restored MacHost. */
  #orderedSince({ machineUid, orderedAt }: Order): number {
    return machineUid === '' ? this.#now : Math.min(this.#now, Date.parse(orderedAt));
  }

  /** A person may restore an old MacHost with its old order: only a new order is the sweep's. */
  #checkPending(id: string, { orderedBy, orderedAt }: Order): void {
    const isNew = this.#now - Date.parse(orderedAt) < readMs;
    const isPending = isBefore(this.#pendingSince.get(id), this.#now - readMs);
    if (orderedBy === 'sweep' && isNew && isPending)
      this.#world.violate('S21', `the sweep ordered ${id}, which has a pending name`);
  }
}

function isDestructive(request: ApiRequest): request is Destructive {
  return (
    request.what === 'reinstall server' ||
    request.what === 'delete server' ||
    request.what === 'update server'
  );
}

function isUntouched({ release, isHeld }: Host): boolean {
  return release === undefined && !isHeld;
}

function isNameOnly(machine: Machine, ways: readonly Way[]): boolean {
  return ways.join(' ') === 'name' && namedServers(machine).length === 0;
}

/** A machine that no host ever served names the host in its annotation alone. */
function isIntentOnly(machine: Machine, ways: readonly Way[]): boolean {
  return ways.join(' ') === 'annotation' && namedServers(machine).length === 1 && !machine.wasReady;
}

function isBefore(at: number | undefined, limit: number): boolean {
  return at !== undefined && at <= limit;
}

function isOfPersonOrMachine({ order }: SeenOrder): boolean {
  return order.machineUid !== '' || order.orderedBy.startsWith('person');
}

/** The claimant itself, or a machine that only means to claim the same host and will find it taken. */
function mayBePassed({ machine, ways }: Speaking, name: string): boolean {
  return machine.name === name || ways.join(' ') === 'annotation';
}

function waysOf(host: Host, machine: Machine, serverName: string | undefined): readonly Way[] {
  const speaks: readonly (readonly [Way, boolean])[] = [
    ['claim', host.claimUid === machine.uid],
    ['name', serverName === machine.name],
    ['serverID', machine.serverId === host.id],
    ['providerID', machine.providerServerId === host.id],
    ['annotation', machine.annotatedServerId === host.id],
  ];
  return speaks.filter(([, isSo]) => isSo).map(([way]) => way);
}

function namedServers({ serverId, providerServerId, annotatedServerId }: Machine): readonly string[] {
  return [serverId, providerServerId, annotatedServerId].filter((id) => id !== '');
}
