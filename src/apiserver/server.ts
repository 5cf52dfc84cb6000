/**
 * The API server without a network: a request goes in, an answer or a watch comes out. Everything it does is decided
 * by what was stored, the request, the clock and the random numbers it was given.
 */
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import { runDefinitions } from './controllers/definitions.ts';
import { runGarbage } from './controllers/garbage.ts';
import { runNamespaces } from './controllers/namespaces.ts';
import { metaAnswer } from './discovery/meta-paths.ts';
import { builtins } from './registry/builtins.ts';
import { definitions } from './registry/definitions.ts';
import { Registry } from './registry/registry.ts';
import { isWatch, readsThePresent, type Answer, type ApiRequest } from './request.ts';
import { routeOf } from './route.ts';
import { StatusError } from './status-error.ts';
import { StoppableClock } from './stoppable-clock.ts';
import type { Journal } from './store/journal.ts';
import { Store } from './store/store.ts';
import { shapeFor } from './table/negotiate.ts';
import type { Call, Parts } from './verbs/call.ts';
import { respond } from './verbs/respond.ts';
import { shaped, shapedWatch } from './verbs/shape.ts';
import { watch } from './verbs/watch.ts';

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Keeps the state beyond the life of the process. */
  readonly journal?: Journal;
  /** How many changes a watch or a page may lag behind before it is told to start over. */
  readonly historyMax?: number;
  /** How long after its definition a custom resource is served. */
  readonly definitionLagMs?: number;
  /** How long a deleted namespace waits before it is emptied. */
  readonly namespaceLagMs?: number;
  /** How long garbage lies before it is collected. */
  readonly garbageLagMs?: number;
}

const defaultHistoryMax = 10_000;
/** Above zero and one, which clients use for "any" and "from the beginning". */
const firstRevision = 100;
const firstNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

export class ApiServer {
  readonly #parts: Parts;
  readonly #clock: StoppableClock;

  constructor(options: ApiServerOptions) {
    const { historyMax = defaultHistoryMax, journal } = options;
    const store = new Store({ historyMax, firstRevision, ...(journal !== undefined && { journal }) });
    this.#clock = new StoppableClock(options.clock);
    this.#parts = {
      store,
      registry: new Registry([...builtins, definitions]),
      clock: this.#clock,
      random: options.random,
    };
    runDefinitions(this.#parts, options.definitionLagMs ?? 0);
    runNamespaces(this.#parts, options.namespaceLagMs ?? 0);
    runGarbage(this.#parts, options.garbageLagMs ?? 0);
    for (const name of firstNamespaces) this.#found(name);
  }

  /** What every cluster has from its first moment. */
  #found(name: string): void {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    this.handle({ method: 'POST', path: '/api/v1/namespaces', query: {}, body });
  }

  /** Nothing happens by itself any more; what keeps the state may then be closed. */
  close(): void {
    this.#clock.stop();
  }

  /** Resolves when everything that was answered so far survives a crash; rejects when it does not, and then for good. */
  durable(): Promise<void> {
    return this.#parts.store.durable();
  }

  /** A read may be answered as a server would that lags so many revisions behind, as far as they are still known. */
  handle(request: ApiRequest, revisionsBehind = 0): Answer {
    const warnings: string[] = [];
    const isStale = revisionsBehind > 0 && readsThePresent(request);
    const { store } = this.#parts;
    const parts = isStale ? { ...this.#parts, store: store.past(revisionsBehind) } : this.#parts;
    try {
      return this.#answer(parts, request, warnings);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { status: error.code, body: error.toObject(), warnings };
    }
  }

  #answer(parts: Parts, request: ApiRequest, warnings: string[]): Answer {
    const { query, body, duplicates = [], contentType = 'application/json' } = request;
    const meta =
      request.method === 'GET'
        ? metaAnswer(request.path, request.accept ?? '', parts.registry.all())
        : undefined;
    if (meta !== undefined) return { status: 200, warnings: [], ...meta };
    const shape = shapeFor(request.accept ?? '');
    const route = routeOf(request.path, parts.registry);
    const call: Call = {
      ...parts,
      ...route,
      query,
      body,
      duplicates,
      isPatch: request.method === 'PATCH',
      contentType,
      userAgent: request.userAgent,
      warn: (text) => void warnings.push(text),
    };
    if (isWatch(request) && route.subresource === undefined)
      return { watch: shapedWatch(call, shape, watch(call)) };
    const { status, body: answer } = respond(request.method, call);
    return { status, body: shaped(call, shape, answer), warnings };
  }
}
