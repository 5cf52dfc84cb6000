/**
 * At most one replica acts. Each measures time by itself only: how long a record has not changed, and how long ago it sent
 * its own last renewal; what others wrote as a time is never compared with anything. What must have lasted long enough
 * is measured with timers, because a clock that somebody sets forward would say so too early.
 *
 * Keeps: whoever may act renewed less than `actMs` ago, counted from before the renewal was sent; nobody takes a lease
 * over that changed within `durationMs`; and a new leader waits `handoverMs` more before its first effect, so that
 * whatever the old one had sent has landed. With `actMs + longest call < durationMs + handoverMs` no two effects overlap.
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
  /** One that gives up on an answer after a few seconds: a renewal that hangs is no renewal. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly name: string;
  /** Of this run of this process: a restart is somebody else. */
  readonly identity: string;
  /** How long a silent leader is left in peace. */
  readonly durationMs?: number;
  /** How long after its last renewal was sent a leader still acts. */
  readonly actMs?: number;
  /** How long a new leader waits before its first effect: the longest that a call of the old one may be on its way. */
  readonly handoverMs?: number;
  readonly onTrouble?: (error: FleetError) => void;
  /** The namespace does not exist, and this process has never seen the lease: a person has to act. The lease asks no more. */
  readonly onNoNamespace?: (error: FleetError) => void;
  /** From now on it may act, for the first time since it took the lease. */
  readonly onActing?: () => void;
  /** The lease was lost to somebody else, or could not be renewed in time. */
  readonly onLost?: () => void;
  readonly metrics?: Metrics;
}

const defaults = { durationMs: 15_000, actMs: 8000, handoverMs: 30_000 };
/** Several renewals may fail before a leader has to stop. */
const renewShare = 0.15;

interface Held {
  /** Counted from before the request was sent, so that it can only be too careful. */
  readonly actsUntil: number;
  readonly actsFrom: number;
  /** Of a timer that ends it as well, for one does not follow the clock when somebody sets that back. */
  readonly cancel: () => void;
}

export class LeaderLease {
  readonly #options: Required<Pick<LeaderLeaseOptions, keyof typeof defaults>> & LeaderLeaseOptions;
  readonly #renewFailures: Counter;
  #held: Held | undefined;
  #hasBegun = false;
  /** Our lease after its last renewal: enough for the next, which is refused if anybody else has written since. */
  #renewable: Lease | undefined;
  /** The record as it was last seen, and whether it has not changed for as long as a lease lasts. */
  #seen: { readonly version: string; isOld: boolean; readonly cancel: () => void } | undefined;
  /** A lease that was there once proves that the namespace is no typing error. */
  #hasSeenLease = false;
  /** Whether whatever a former leader had sent must have landed. */
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

  /** Gives the lease back, so that another replica need not wait for it to run out. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop?.();
    await this.#over;
    this.#seen?.cancel();
    const wasHeld = this.#held !== undefined;
    this.#let();
    if (wasHeld) await this.#giveBack();
  }

  /** Asked at the last moment before each effect; true only while nobody else can act. */
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
    // A renewal may fail by taking so long that the lease is lost on the way.
    const wasHeld = this.isHeld;
    // What became old while the question was on its way may have been answered before.
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

  /** Before a lease was seen, only a creation is sent, and of a new object only the namespace can be missing. */
  #lacksNamespace(error: FleetError): boolean {
    return error.kind === 'gone' && !this.#hasSeenLease && this.#options.onNoNamespace !== undefined;
  }

  #giveUp(error: FleetError): void {
    this.#isStopped = true;
    this.#options.onNoNamespace?.(error);
  }

  /** Without reading first, which halves what a quiet leader asks; false when somebody else wrote, and it must read. */
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

  /** A lost reply leaves it open whether the lease is ours; the next round reads who holds it. */
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
    // An answer that took longer than that proves nothing about now.
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

  /** Asked again at each renewal, so that a clock that was set back delays it and no more. */
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
