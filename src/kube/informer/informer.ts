/**
 * A cache of the objects of one resource that follows the server. It never stops on its own: failures are retried, a
 * silent watch is replaced, and missed changes are found by a fresh list.
 *
 * Guarantees: once synced, every change on the server reaches the cache and each listener, or the age of the cache
 * grows. An error of a listener affects neither the cache nor other listeners.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { KubeClient } from '../client/client.ts';
import { eventOf, type WatchEvent } from '../client/decode.ts';
import { failureOf, lostAnswer } from '../client/kube-failure.ts';
import { keyOf, type KubeObject, type Resource } from '../client/kube-object.ts';
import type { KubeStream } from '../client/transport.ts';
import { noMetrics, type Metrics } from '../../platform/metrics.ts';
import type { Random } from '../../platform/random.ts';
import { Cache, type Indexes } from './cache.ts';
import { InformerMetrics } from './informer-metrics.ts';
import { Listeners, type Listener } from './listeners.ts';
import { Listing } from './list-pages.ts';
import { Retry } from './retry.ts';
import { Round } from './list-watch.ts';
import { endless, outdated, silent, tooShort, troubleIn } from './informer-errors.ts';
import { Watchdog } from './watchdog.ts';

export interface InformerOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly resource: Resource<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly scope?: InformerScope;
  readonly indexes?: Indexes<T>;
  /** A watch without an event for this long is replaced; servers send a bookmark about every minute. */
  readonly silenceMaxMs?: number;
  /** The cache is compared with a fresh list at least this often. */
  readonly relistMs?: number;
  /** Called for each failure; the informer handles the failure. */
  readonly onTrouble?: (error: FleetError) => void;
  /** Called with an error that a listener threw: a bug. */
  readonly onListenerFault: (error: unknown) => void;
  /** The name in metrics; the plural of the resource unless given. */
  readonly name?: string;
  readonly metrics?: Metrics;
}

export interface InformerScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const silenceDefaultMs = 90_000;
const relistDefaultMs = 10 * 60_000;
const watchSeconds = 290;
const initialEventsEnd = 'k8s.io/initial-events-end';

export class Informer<T extends KubeObject> {
  readonly #options: InformerOptions<T>;
  readonly #cache: Cache<T>;
  readonly #listeners: Listeners<T>;
  readonly #retry: Retry;
  readonly #metrics: InformerMetrics;
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;
  #stopping: AbortController | undefined;
  #over: Promise<void> = Promise.resolve();
  /** The start of the next watch; undefined if a fresh list is needed. */
  #revision: string | undefined;
  #listedAt = 0;
  #heardAt: number;
  #listing: Listing;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#cache = new Cache(options.indexes ?? {});
    this.#listeners = new Listeners(options.onListenerFault);
    this.#retry = new Retry(options.clock, options.random);
    this.#heardAt = options.clock.now();
    this.#listing = new Listing();
    const { metrics = noMetrics, name = options.resource.plural } = options;
    this.#metrics = new InformerMetrics(metrics, name, this);
  }

  start(): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = new AbortController();
    this.#over = this.#run(this.#stopping.signal);
  }

  /** Resolves when all requests have ended. */
  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#retry.wake();
    await this.#over;
  }

  /** Resolves when the cache is complete for the first time. */
  synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Time since the server last sent anything. */
  get ageMs(): number {
    return this.#options.clock.now() - this.#heardAt;
  }

  get size(): number {
    return this.#cache.size;
  }

  get(key: string): T | undefined {
    return this.#cache.get(key);
  }

  all(): readonly T[] {
    return this.#cache.all();
  }

  find(index: string, value: string): readonly T[] {
    return this.#cache.find(index, value);
  }

  /** Calls the listener for each present object, then for each change. The result removes the listener. */
  listen(listener: Listener<T>): () => void {
    const present = this.#cache.all().map((object) => ({ key: keyOf(object), object, before: undefined }));
    return this.#listeners.add(listener, present);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const round = new Round(this.#options.clock);
      const error = await troubleIn(this.#follow(round, signal));
      if (!signal.aborted) await this.#rest(round, error);
    }
  }

  /**
   * Decides what follows a round: no wait after a useful round without an error, a fresh list at once for an outdated
   * revision after a success, and otherwise a growing wait.
   */
  async #rest(round: Round, error: FleetError | undefined): Promise<void> {
    if (round.wasUseful) this.#retry.reset();
    this.#metrics.restarted(error?.reason ?? 'Ended');
    if (error === undefined) return;
    this.#options.onTrouble?.(error);
    const isOutdated = error.reason === 'Expired' || error.reason === 'Gone';
    if (isOutdated) this.#revision = undefined;
    if (this.#listing.refused(error)) return;
    await this.#retry.wait({ notBefore: error.retryAt, isFirstFree: isOutdated });
  }

  /** Lists if needed, and watches until the watch ends. */
  async #follow(round: Round, signal: AbortSignal): Promise<void> {
    const { clock, client, resource, silenceMaxMs = silenceDefaultMs } = this.#options;
    if (this.#mustList()) await this.#list(signal);
    if (signal.aborted) return;
    const watchdog = new Watchdog(clock, silenceMaxMs, signal);
    await this.#watch(round, watchdog);
    if (signal.aborted) return;
    if (watchdog.signal.aborted) {
      client.reconnect();
      throw silent(resource);
    }
    if (!round.wasUseful) throw tooShort(resource);
  }

  /** False if the watch itself begins with the full state. */
  #mustList(): boolean {
    const { clock, relistMs = relistDefaultMs } = this.#options;
    if (clock.now() - this.#listedAt >= relistMs) this.#revision = undefined;
    return this.#revision === undefined && !this.#listing.streams;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource, scope = {} } = this.#options;
    const seen = new Map<string, T>();
    let next = '';
    let revision = '';
    do {
      const more = { ...scope, limit: 500, ...(next !== '' && { continue: next }) };
      const page = await client.listPage(resource, more);
      if (signal.aborted) return;
      if (next !== '' && page.continue === next) throw endless(resource);
      for (const object of page.items) seen.set(keyOf(object), object);
      ({ continue: next, resourceVersion: revision } = page);
      this.#heard();
    } while (next !== '');
    this.#replaceAll(seen, revision);
  }

  async #watch(round: Round, watchdog: Watchdog): Promise<void> {
    const { client, resource } = this.#options;
    let stream: KubeStream | undefined;
    try {
      stream = await client.watch(resource, this.#watchQuery(), watchdog.signal);
      const open = stream;
      round.opened();
      watchdog.signal.addEventListener('abort', () => open.close());
      if (watchdog.signal.aborted) open.close();
      await this.#readAll(open, round, watchdog);
    } catch (error) {
      if (watchdog.signal.aborted) return;
      throw error;
    } finally {
      watchdog.rest();
      stream?.close();
    }
  }

  async #readAll(stream: KubeStream, round: Round, watchdog: Watchdog): Promise<void> {
    const initial = new Map<string, T>();
    for (let event = await this.#next(stream); event !== undefined; event = await this.#next(stream)) {
      watchdog.pet();
      const isWhole = this.#revision !== undefined;
      if (isWhole && event.type !== 'BOOKMARK') round.reported();
      this.#take(event, isWhole ? undefined : initial);
    }
  }

  /** Undefined at the end of the watch. */
  async #next(stream: KubeStream): Promise<WatchEvent<T> | undefined> {
    const { resource, clock, scope = {} } = this.#options;
    const doing = `watch ${resource.plural}`;
    try {
      const value = await stream.next();
      const event =
        value === undefined ? undefined : eventOf(resource, value, { namespace: scope.namespace });
      if (event?.type === 'ERROR') throw failureOf(event.response, { doing, resource }, clock.now());
      return event;
    } catch (error) {
      throw isFleetError(error) ? error : lostAnswer(error, doing);
    }
  }

  #take({ type, object }: WatchEvent<T>, initial: Map<string, T> | undefined): void {
    this.#heard();
    if (type === 'BOOKMARK') this.#bookmark(object, initial);
    else if (initial === undefined) this.#apply(type, object);
    else if (type === 'DELETED') initial.delete(keyOf(object));
    else initial.set(keyOf(object), object);
  }

  #bookmark(object: T, initial: Map<string, T> | undefined): void {
    const { resourceVersion, annotations = {} } = object.metadata;
    if (initial === undefined) this.#revision = resourceVersion;
    if (initial === undefined || annotations[initialEventsEnd] !== 'true') return;
    this.#replaceAll(initial, resourceVersion);
    initial.clear();
  }

  #apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    this.#revision = object.metadata.resourceVersion;
    this.#listing.saw(this.#revision);
    const key = keyOf(object);
    if (type === 'DELETED') this.#drop(key);
    else this.#keep(object);
  }

  #keep(object: T): void {
    const before = this.#cache.put(object);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.#listeners.report({ key: keyOf(object), object, before });
  }

  #drop(key: string): void {
    const before = this.#cache.remove(key);
    if (before !== undefined) this.#listeners.report({ key, object: undefined, before });
  }

  /** An object that is missing from a complete list is gone, even without a deletion event. */
  #replaceAll(objects: ReadonlyMap<string, T>, revision: string): void {
    if (this.#listing.isTooOld(revision)) throw outdated(this.#options.resource);
    for (const key of this.#cache.keys()) if (!objects.has(key)) this.#drop(key);
    for (const object of objects.values()) this.#keep(object);
    this.#revision = revision;
    this.#listedAt = this.#options.clock.now();
    this.#metrics.relists.add();
    this.#isSynced = true;
    this.#synced.resolve();
  }

  #watchQuery(): Readonly<Record<string, string>> {
    const { random, scope = {} } = this.#options;
    const timeoutSeconds = String(Math.floor(watchSeconds * (0.9 + random.next() * 0.2)));
    const common = { ...scope, allowWatchBookmarks: 'true', timeoutSeconds };
    if (this.#revision !== undefined) return { ...common, resourceVersion: this.#revision };
    return { ...common, sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };
  }

  #heard(): void {
    this.#heardAt = this.#options.clock.now();
  }
}
