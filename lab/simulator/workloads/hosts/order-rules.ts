/**
 * Rules about claims and orders. Each rule compares a change, at its instant, with the stored objects: no host is
 * wiped, ended, claimed or released without the record that allows it.
 */
import type { ApiRequest } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import type { World } from '../../world/world.ts';
import type { FleetTruth } from './fleet-truth.ts';
import type { Host, Machine } from './stored-objects.ts';

/** A process that has just read a state may act on it for this long, though the state has changed meanwhile. */
const answerMs = 60_000;
/** A request whose caller gave up may still land for this long. */
const lateMs = 15 * 60_000;

export class OrderRules {
  readonly #world: World;
  readonly #truth: FleetTruth;
  readonly #reclaimsMax: number;
  #machines = new Map<string, Machine>();
  #hosts = new Map<string, Host>();
  /** By uid: since when nothing may be claimed for the machine. */
  readonly #stoppedAt = new Map<string, number>();
  /** By host: when an order to wipe it, or to end its rent, was last seen. */
  readonly #wipeOrderAt = new Map<string, number>();
  readonly #endOrderAt = new Map<string, number>();
  readonly #forced = new Set<string>();
  readonly #lostAt = new Map<string, number>();
  #sweptAt: readonly number[] = [];
  #looked = -1;

  constructor(world: World, truth: FleetTruth, { reclaimsMax }: { readonly reclaimsMax: number }) {
    this.#world = world;
    this.#truth = truth;
    this.#reclaimsMax = reclaimsMax;
  }

  /** A person removes the finalizer by hand. */
  forced(name: string): void {
    for (const machine of this.#truth.machines) if (machine.name === name) this.#forced.add(machine.uid);
  }

  /** A person deletes the MacHost: its record is lost without a fault of the manager. */
  lost(hostId: string): void {
    this.#lostAt.set(hostId, this.#now);
  }

  /** Called when a write reaches the cloud, at the instant at which it is done. */
  arriving(request: ApiRequest): void {
    this.look();
    if (request.what === 'reinstall server' && !this.#isRecent(this.#wipeOrderAt.get(request.id)))
      this.#violate('S3', `a wipe of ${request.id} that no order asks for`);
    const isEnd =
      request.what === 'delete server' ||
      (request.what === 'update server' && request.scheduleDeletion === true);
    if (isEnd && !this.#endOrderAt.has(request.id))
      this.#violate('S8', `the rent of ${request.id} is to end, and no order exists`);
  }

  invariant(): Invariant {
    return {
      id: 'S6, S7, S14',
      says: 'nothing is claimed for the stopped, let go without a record, or swept without proof',
      when: 'each',
      check: () => {
        this.look();
        return undefined;
      },
    };
  }

  look(): void {
    if (this.#looked === this.#truth.changes) return;
    this.#looked = this.#truth.changes;
    const machines = new Map(this.#truth.machines.map((machine) => [machine.uid, machine]));
    const hosts = new Map(this.#truth.hosts.map((host) => [host.id, host]));
    for (const host of hosts.values()) this.#noteOrders(host);
    for (const machine of machines.values()) this.#noteStop(machine);
    for (const machine of this.#machines.values())
      if (!machines.has(machine.uid)) this.#machineGone(machine, hosts);
    for (const host of hosts.values()) this.#hostChanged(host, this.#hosts.get(host.id), machines);
    [this.#machines, this.#hosts] = [machines, hosts];
  }

  get #now(): number {
    return this.#world.clock.now();
  }

  #isRecent(at: number | undefined): boolean {
    return at !== undefined && this.#now - at <= lateMs;
  }

  #noteOrders({ id, release }: Host): void {
    if (release?.policy === 'pool') this.#wipeOrderAt.set(id, this.#now);
    if (release?.policy === 'terminate') this.#endOrderAt.set(id, this.#now);
    // An order that stood until now still allows this call.
    const before = this.#hosts.get(id);
    if (before?.release?.policy === 'pool') this.#wipeOrderAt.set(id, this.#now);
  }

  #noteStop({ uid, isDeleting, isPaused }: Machine): void {
    if (!isDeleting && !isPaused) this.#stoppedAt.delete(uid);
    else if (!this.#stoppedAt.has(uid)) this.#stoppedAt.set(uid, this.#now);
  }

  #machineGone({ uid, name, serverId }: Machine, hosts: ReadonlyMap<string, Host>): void {
    this.#stoppedAt.set(uid, this.#stoppedAt.get(uid) ?? this.#now);
    if (this.#forced.has(uid) || serverId === '') return;
    const isExcused = this.#truth.mac(serverId) === undefined || this.#isRecent(this.#lostAt.get(serverId));
    if (!isExcused && !isRecordedOn(hosts.get(serverId), uid))
      this.#violate('S7', `${name} is gone, and nothing says what becomes of ${serverId}`);
  }

  #hostChanged(host: Host, before: Host | undefined, machines: ReadonlyMap<string, Machine>): void {
    const { claimUid, release, id } = host;
    if (claimUid !== undefined && claimUid !== before?.claimUid) this.#claimed(id, claimUid, machines);
    if (release?.orderedBy === 'sweep' && before?.release?.orderedAt !== release.orderedAt)
      this.#swept(host, machines);
  }

  /** A machine whose status names the host only restores its claim. */
  #claimed(id: string, uid: string, machines: ReadonlyMap<string, Machine>): void {
    const machine = machines.get(uid);
    if (machine?.serverId === id) return;
    // A person restored the MacHost from a backup, and its claim with it.
    if (this.#lostAt.get(id) === this.#now) return;
    const stoppedAt = this.#stoppedAt.get(uid);
    if (stoppedAt !== undefined && this.#now - stoppedAt > answerMs)
      this.#violate('S6', `${id} is claimed for ${machine?.name ?? uid}, which is stopped or gone`);
  }

  #swept(host: Host, machines: ReadonlyMap<string, Machine>): void {
    const tenant = [...machines.values()].find(({ serverId, uid }) =>
      serverId === host.id ? true : uid === host.claimUid,
    );
    if (this.#lostAt.get(host.id) === this.#now) return;
    if (tenant !== undefined) this.#violate('S14', `${host.id} is swept away from ${tenant.name}`);
    this.#sweptAt = [...this.#sweptAt, this.#now].filter((at) => this.#now - at < answerMs);
    if (this.#sweptAt.length > this.#reclaimsMax)
      this.#violate('S14', 'more is swept at once than is allowed');
  }

  #violate(id: string, why: string): void {
    this.#world.violate(id, why);
  }
}

/**
 * What happens to a host whose machine is deleted: an order, a skipped release, a hold, a person's name, or another
 * machine's claim.
 */
function isRecordedOn(host: Host | undefined, uid: string): boolean {
  if (host === undefined) return false;
  const isOfAnother = host.claimUid !== undefined && host.claimUid !== uid;
  const isLeft = host.lastOwnerUid === uid && (host.isHeld || host.isLeftToPerson);
  return host.release !== undefined || host.isSkipped || isOfAnother || isLeft;
}
