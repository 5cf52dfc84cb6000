/**
 * The API server without a network: a request gives an answer or a watch. Its behavior depends only on the stored
 * state, the request, the clock and the random numbers.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { AccountTokens } from './auth/account-tokens.ts';
import { attributesOf } from './auth/attributes.ts';
import { Authenticator } from './auth/authenticate.ts';
import type { Credentials } from './auth/credentials.ts';
import { bootstrapPolicy } from './auth/bootstrap-policy.ts';
import { forbidden } from './auth/forbidden.ts';
import { ownIdentity, type Identity } from './auth/identity.ts';
import { Rbac } from './auth/rbac.ts';
import { rbacGroup } from './registry/role.ts';
import { publishAddress, runControllers, type ControllerSettings } from './controllers/all.ts';
import type { ListenAddress } from './controllers/api-service.ts';
import type { JsonObject } from './json.ts';
import { metaAnswer } from './discovery/meta-paths.ts';
import { builtins } from './registry/builtins.ts';
import { definitions } from './registry/definitions.ts';
import { reviewKinds } from './registry/review-kinds.ts';
import { Registry } from './registry/registry.ts';
import { isWatch, readsThePresent, type Answer, type ApiRequest, type Handler } from './request.ts';
import { routeOf } from './route.ts';
import { StatusError } from './status-error.ts';
import { StoppableClock } from './stoppable-clock.ts';
import type { Journal } from './store/journal.ts';
import { Store } from './store/store.ts';
import { shapeFor } from './table/negotiate.ts';
import type { Call, Parts } from './verbs/call.ts';
import { podLog } from './verbs/pod-log.ts';
import { notAllowed, respond } from './verbs/respond.ts';
import { shaped, shapedWatch } from './verbs/shape.ts';
import { Warnings } from './verbs/warnings.ts';
import { watch } from './verbs/watch.ts';

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Signs the tokens of ServiceAccounts; its holder can act as any of them. */
  readonly tokenSecret: Uint8Array;
  /** The CA certificate for clients inside the cluster. */
  readonly authorityCertificate?: string;
  /** Persists the state. */
  readonly journal?: Journal;
  /** How many changes a watch or a page may lag behind before it gets `Expired`. */
  readonly historyMax?: number;
  /** The controllers: the delay of each, or off. */
  readonly controllers?: ControllerSettings;
}

const defaultHistoryMax = 10_000;
/** Above zero and one, which mean "any" and "from the beginning". */
const firstRevision = 100;
const firstNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

export class ApiServer implements Handler {
  readonly #parts: Parts;
  readonly #clock: StoppableClock;
  readonly #authenticator: Authenticator;
  readonly #controllers: ControllerSettings;

  constructor(options: ApiServerOptions) {
    const { historyMax = defaultHistoryMax, journal, random, tokenSecret, controllers = {} } = options;
    const store = new Store({ historyMax, firstRevision, ...(journal !== undefined && { journal }) });
    const clock = new StoppableClock(options.clock);
    const rbac = new Rbac(store);
    const tokens = new AccountTokens({ store, clock, random, secret: tokenSecret });
    const registry = new Registry([...builtins, ...reviewKinds, definitions]);
    this.#clock = clock;
    this.#controllers = controllers;
    this.#parts = { store, registry, clock, random, rbac, tokens };
    this.#authenticator = new Authenticator(tokens, rbac);
    runControllers(this.#parts, controllers, options.authorityCertificate);
    this.#found();
  }

  /** Creates the initial objects of every cluster; existing objects are not changed. */
  #found(): void {
    const post = (path: string, body: JsonObject): void =>
      void this.handle({ identity: ownIdentity, method: 'POST', path, query: {}, body });
    for (const name of firstNamespaces)
      post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const { plural, body } of bootstrapPolicy()) post(`/apis/${rbacGroup}/v1/${plural}`, body);
  }

  /** Publishes the address of the server, once. Without it the cluster has no Service for the API. */
  publishAddress(address: ListenAddress): void {
    publishAddress(this.#parts, this.#controllers, address);
  }

  /** Stops all timers; afterwards the journal may be closed. */
  close(): void {
    this.#clock.stop();
  }

  /** Resolves when all answered writes are durable; rejects permanently after a failed write. */
  durable(): Promise<void> {
    return this.#parts.store.durable();
  }

  /** Authenticates; throws for invalid credentials. */
  identify(credentials: Credentials): Identity {
    return this.#authenticator.identify(credentials);
  }

  /**
   * Throws unless a role allows the request. Also rejects a write to an unserved resource, so that its body is not
   * read.
   */
  authorize(request: Pick<ApiRequest, 'identity' | 'method' | 'path' | 'query'>): void {
    const asked = attributesOf(request);
    if (!this.#parts.rbac.allows(request.identity, asked)) throw forbidden(request.identity, asked);
    if (request.method !== 'GET') routeOf(request.path, this.#parts.registry);
  }

  /** With `revisionsBehind`, answers a read from that many revisions ago, as far as known. */
  handle(request: ApiRequest, revisionsBehind = 0): Answer {
    const warnings = new Warnings();
    const isStale = revisionsBehind > 0 && readsThePresent(request);
    const { store } = this.#parts;
    const parts = isStale ? { ...this.#parts, store: store.past(revisionsBehind) } : this.#parts;
    try {
      return this.#answer(parts, request, warnings);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { status: error.code, body: error.toObject(), warnings: warnings.texts };
    }
  }

  #answer(parts: Parts, request: ApiRequest, warnings: Warnings): Answer {
    this.authorize(request);
    const { method, path, accept = '' } = request;
    const meta = method === 'GET' ? metaAnswer(path, accept, parts.registry.all()) : undefined;
    if (meta !== undefined) return { status: 200, warnings: [], ...meta };
    const shape = shapeFor(accept);
    const call = callOf(parts, request, (text) => warnings.add(text));
    if (call.resource.deprecation !== undefined) call.warn(call.resource.deprecation);
    if (call.subresource === 'log') return logOf(method, call);
    if (isWatch(request) && call.subresource === undefined)
      return { watch: shapedWatch(call, shape, watch(call)) };
    const { status, body } = respond(method, call);
    return { status, body: shaped(call, shape, body), warnings: warnings.texts };
  }
}

function callOf(parts: Parts, request: ApiRequest, warn: Call['warn']): Call {
  const { identity, query, body, duplicates = [], contentType = 'application/json', userAgent } = request;
  const route = routeOf(request.path, parts.registry);
  const isPatch = request.method === 'PATCH';
  return {
    ...parts,
    ...route,
    identity,
    query,
    body,
    duplicates,
    isPatch,
    contentType,
    userAgent,
    warn,
  };
}

function logOf(method: ApiRequest['method'], call: Call): Answer {
  if (method !== 'GET') throw notAllowed();
  const relay = podLog(call);
  return relay === undefined ? { status: 204, body: {}, warnings: [] } : { relay };
}
