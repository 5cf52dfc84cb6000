/**
 * Leader election: at most one replica acts. Each replica measures time only by its own clock: how long a record has
 * not changed, and how long ago its own renewal was sent. Times written by others are never compared. Minimum
 * durations are measured with timers, because a clock that is set forward would end them too early.
 *
 * Guarantees: a replica that may act renewed less than `actMs` ago, counted from before the renewal was sent. No
 * replica takes a lease that changed within `durationMs`. A new leader waits another `handoverMs` before its first
 * effect, so that the requests of the old leader have ended. With `actMs + longest call < durationMs + handoverMs` no
 * two effects overlap.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { leases, type Lease } from '../client/builtin-resources.ts';
import type { KubeClient } from '../client/client.ts';
import { leaseMetrics } from '../metric-definitions.ts';
import { noMetrics, type Counter, type Metrics } from '../../platform/metrics.ts';
import type { Random } from '../../platform/random.ts';
import { holderOf, microTime } from './lease-record.ts';

export interface LeaderLeaseOptions {
  /** A client with a deadline of a few seconds: a renewal that hangs does not count. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly name: string;
  /** Unique for this run of the process: a restart counts as another holder. */
  readonly identity: string;
  /** Time after which another replica may take the lease of a silent leader. */
  readonly durationMs?: number;
  /** Time after the sending of its last renewal in which a leader still acts. */
  readonly actMs?: number;
  /** Time that a new leader waits before its first effect: the longest duration of a call of the old leader. */
  readonly handoverMs?: number;
  readonly onTrouble?: (error: FleetError) => void;
  /**
   * The namespace does not exist, and this process has never seen the lease, so a person must act. The lease stops
   * trying.
   */
  readonly onNoNamespace?: (error: FleetError) => void;
  /** The replica may act, for the first time since it took the lease. */
  readonly onActing?: () => void;
  /** Another replica took the lease, or a renewal failed for too long. */
  readonly onLost?: () => void;
  readonly metrics?: Metrics;
}

const defaults = { durationMs: 15_000, actMs: 8000, handoverMs: 30_000 };
/** Several renewals may fail before a leader must stop. */
const renewShare = 0.15;

interface Held {
  /** Counted from before the request was sent, so that the time is too short rather than too long. */
  readonly actsUntil: number;
  readonly actsFrom: number;
  /** Cancels the timers. A timer also ends the lease, because it does not follow a clock that is set back. */
  readonly cancel: () => void;
}

export class LeaderLease {
  readonly #options: Required<Pick<LeaderLeaseOptions, keyof typeof defaults>> & LeaderLeaseOptions;
  readonly #renewFailures: Counter;
  #held: Held | undefined;
  #hasBegun = false;
  /** Our lease after its last renewal: enough for the next renewal, which fails if another replica wrote. */
  #renewable: Lease | undefined;
  /** The last seen record, and whether it has been unchanged for the duration of a lease. */
  #seen: { readonly version: string; isOld: boolean; readonly cancel: () => void } | undefined;
  /** A lease that existed once proves that the namespace is not a typing error. */
  #hasSeenLease = false;
  /** Whether all requests of a former leader must have ended. */
  #hasWaited = false;
  #cancelWait: () => void = () => undefined;
  #stop: (() => void) | undefined;
  #over: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: LeaderLeaseOptions) {
    this.#options = { ...defaults, ...options };
    const { metrics = noMetrics, name } = options;
    this.#renewFailures = metrics.counter(leaseMetrics.renewFailures, { lease: name });
    metrics.gauge(leaseMetrics.leader, { lease: name }, () => (this.isHeld ? 1 : 0));
  }

  start(): void {
    this.#over = this.#run();
  }

  /** Releases the lease, so that another replica need not wait for its end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop?.();
    await this.#over;
    this.#seen?.cancel();
    const wasHeld = this.#held !== undefined;
    this.#let();
    if (wasHeld) await this.#giveBack();
  }

  /** Checked just before each effect; true only while no other replica can act. */
  mayAct(): boolean {
    const now = this.#options.clock.now();
    const held = this.#hasWaited ? this.#held : undefined;
    return held !== undefined && now >= held.actsFrom && now < held.actsUntil;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  async #run(): Promise<void> {
    const { random, durationMs } = this.#options;
    while (!this.#isStopped) {
      await this.#round();
      await this.#sleep(durationMs * renewShare * (0.8 + random.next() * 0.4));
    }
  }

  async #round(): Promise<void> {
    const { client, namespace, name, clock, onTrouble } = this.#options;
    const sentAt = clock.now();
    // A renewal may fail by taking so long that the lease ends meanwhile.
    const wasHeld = this.isHeld;
    // A record that became old during this request may have been read before.
    const oldVersion = this.#seen?.isOld === true ? this.#seen.version : undefined;
    try {
      if (await this.#renewBlindly(sentAt)) return;
      const lease = await client.find(leases, { namespace, name });
      await this.#decide(lease, sentAt, oldVersion);
    } catch (error) {
      if (!isFleetError(error)) throw error;
      if (wasHeld) this.#renewFailures.add();
      if (this.#lacksNamespace(error)) this.#giveUp(error);
      else onTrouble?.(error);
    }
  }

  /** Before a lease was seen, only a creation is sent, which fails as `gone` only without the namespace. */
  #lacksNamespace(error: FleetError): boolean {
    return error.kind === 'gone' && !this.#hasSeenLease && this.#options.onNoNamespace !== undefined;
  }

  #giveUp(error: FleetError): void {
    this.#isStopped = true;
    this.#options.onNoNamespace?.(error);
  }

  /**
   * Renews without a read, which halves the requests of an idle leader. False after a concurrent write: then a read
   * is needed.
   */
  async #renewBlindly(sentAt: number): Promise<boolean> {
    const known = this.#renewable;
    this.#renewable = undefined;
    if (known === undefined) return false;
    try {
      await this.#renew(known, sentAt);
      return true;
    } catch (error) {
      if (isFleetError(error) && (error.kind === 'conflict' || error.kind === 'gone')) return false;
      throw error;
    }
  }

  async #decide(lease: Lease | undefined, sentAt: number, oldVersion: string | undefined): Promise<void> {
    const { identity } = this.#options;
    this.#note(lease);
    const holder = holderOf(lease);
    if (lease !== undefined && holder === identity) return this.#renew(lease, sentAt);
    if (this.#held !== undefined) this.#lose();
    const isFree = lease === undefined || holder === '' || lease.metadata.resourceVersion === oldVersion;
    if (isFree) await this.#take(lease, sentAt);
  }

  #note(lease: Lease | undefined): void {
    const version = lease?.metadata.resourceVersion ?? '';
    if (lease !== undefined) this.#hasSeenLease = true;
    if (this.#seen?.version === version) return;
    this.#seen?.cancel();
    const { clock, durationMs } = this.#options;
    const seen = { version, isOld: false, cancel: clock.after(durationMs, () => void (seen.isOld = true)) };
    this.#seen = seen;
  }

  async #renew(lease: Lease, sentAt: number): Promise<void> {
    const { client, clock } = this.#options;
    const spec = { ...lease.spec, renewTime: microTime(clock.now()) };
    const renewed = await client.update(leases, { ...lease, spec });
    this.#note(renewed);
    this.#hold(renewed, sentAt, this.#held?.actsFrom ?? sentAt + this.#options.handoverMs);
  }

  /** After a lost reply it is unknown whether the lease is ours; the next round reads the holder. */
  async #take(lease: Lease | undefined, sentAt: number): Promise<void> {
    const { client, clock, namespace, name, identity, durationMs, handoverMs } = this.#options;
    const at = microTime(clock.now());
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: at,
      renewTime: at,
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease === undefined ? 0 : 1),
    };
    const metadata = { name, namespace };
    const taken =
      lease === undefined
        ? await client.create(
            leases,
            { namespace },
            { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec },
          )
        : await client.update(leases, { ...lease, spec });
    this.#note(taken);
    this.#hold(taken, sentAt, clock.now() + handoverMs);
  }

  #hold(lease: Lease, sentAt: number, actsFrom: number): void {
    const { clock, actMs } = this.#options;
    this.#renewable = lease;
    const left = sentAt + actMs - clock.now();
    // An answer that took longer proves nothing about the present.
    if (this.#isStopped || left <= 0) return;
    if (this.#held === undefined) this.#wait();
    this.#held?.cancel();
    const cancelBegin = clock.after(Math.max(0, actsFrom - clock.now()), () => this.#begin());
    const cancelEnd = clock.after(left, () => this.#lose());
    this.#held = {
      actsUntil: sentAt + actMs,
      actsFrom,
      cancel: () => {
        cancelBegin();
        cancelEnd();
      },
    };
  }

  #wait(): void {
    const { clock, handoverMs } = this.#options;
    this.#cancelWait();
    this.#hasWaited = false;
    this.#cancelWait = clock.after(handoverMs, () => {
      this.#hasWaited = true;
      this.#begin();
    });
  }

  /** Checked again at each renewal, so that a clock that was set back only delays the start. */
  #begin(): void {
    if (this.#hasBegun || !this.mayAct()) return;
    this.#hasBegun = true;
    this.#options.onActing?.();
  }

  #lose(): void {
    this.#let();
    this.#options.onLost?.();
  }

  #let(): void {
    this.#held?.cancel();
    this.#held = undefined;
    this.#cancelWait();
    this.#hasWaited = false;
    this.#hasBegun = false;
  }

  async #giveBack(): Promise<void> {
    const { client, namespace, name, identity, onTrouble } = this.#options;
    try {
      const lease = await client.find(leases, { namespace, name });
      if (lease === undefined || holderOf(lease) !== identity) return;
      await client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: '' } });
    } catch (error) {
      if (!isFleetError(error)) throw error;
      onTrouble?.(error);
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(ms, resolve);
    this.#stop = resolve;
    if (this.#isStopped) resolve();
    await promise;
    cancel();
  }
}
