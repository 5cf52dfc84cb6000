/**
 * A Kubernetes client: reads, writes and watches any resource, with a deadline for each request, a rate limit, and
 * every failure as one of the five kinds. It keeps no state and never retries: the caller decides.
 */
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { noMetrics, type Metrics } from '../../platform/metrics.ts';
import { ClientMetrics, type Verb } from './client-metrics.ts';
import { isDeletion, objectOf, pageOf, type About, type Page } from './decode.ts';
import { fieldsOf } from './fields.ts';
import { servedVersions } from './group-versions.ts';
import { failureOf, lostAnswer, type Question } from './kube-failure.ts';
import { pathOf, type KubeObject, type Place, type Resource } from './kube-object.ts';
import type { RateLimit } from '../../platform/rate-limit.ts';
import {
  isStream,
  TransportError,
  type KubeRequest,
  type KubeResponse,
  type KubeStream,
  type KubeTransport,
} from './transport.ts';

export interface KubeClientOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly limit: RateLimit;
  /** The name under which the server records written fields. */
  readonly fieldManager: string;
  readonly deadlineMs?: number;
  readonly metrics?: Metrics;
}

export interface ListQuery {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
}

export type Patch =
  | { readonly merge: unknown }
  | { readonly json: readonly unknown[] }
  /** Server-side apply under the field manager of the client. */
  | { readonly apply: unknown; readonly force?: boolean };

export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface Deletion extends Preconditions {
  /** Time that a Pod gets to end; 0 if it was seen to have ended. Without it the Pod's own setting applies. */
  readonly graceSeconds?: number;
}

const deadlineDefaultMs = 30_000;
/** Not a resource, but requested like one. */
const noResource = { group: '', version: 'v1', kind: '', namespaced: false } as const;

interface Call<T extends KubeObject = KubeObject> {
  readonly verb: Verb;
  readonly resource: Resource<T>;
  readonly about: About;
  readonly request: KubeRequest;
}

export class KubeClient {
  readonly #options: KubeClientOptions;
  readonly #metrics: ClientMetrics;

  constructor(options: KubeClientOptions) {
    this.#options = options;
    this.#metrics = new ClientMetrics(options.metrics ?? noMetrics);
  }

  async get<T extends KubeObject>(resource: Resource<T>, place: Place): Promise<T> {
    const request: KubeRequest = { method: 'GET', path: pathOf(resource, place), query: {} };
    return this.#askFor({ verb: 'get', resource, about: place, request });
  }

  /** Undefined if the object does not exist. */
  async find<T extends KubeObject>(resource: Resource<T>, place: Place): Promise<T | undefined> {
    try {
      return await this.get(resource, place);
    } catch (error) {
      if (error instanceof FleetError && error.kind === 'gone') return undefined;
      throw error;
    }
  }

  async listPage<T extends KubeObject>(resource: Resource<T>, query: ListQuery): Promise<Page<T>> {
    const { namespace, ...rest } = query;
    const path = pathOf(resource, namespace === undefined ? {} : { namespace });
    const request: KubeRequest = { method: 'GET', path, query: texts(rest) };
    const about = { namespace };
    const answer = await this.#ask({ verb: 'list', resource, about, request });
    return readable(`GET ${path}`, () => pageOf(resource, answer.body, about));
  }

  /** The versions of an API group that the server has; empty if it lacks the group. */
  async versionsOf(group: string): Promise<readonly string[]> {
    const groups = await this.published('/apis', 'apigroups');
    return readable('GET /apis', () => servedVersions(groups, group));
  }

  /**
   * Reads a path that is no resource; metrics call it `plural`. Returns text if the path has its own content type.
   */
  async published(path: string, plural: string, isText = false): Promise<unknown> {
    const resource = { ...noResource, plural };
    const request: KubeRequest = { method: 'GET', path, query: {}, isText };
    return (await this.#ask({ verb: 'list', resource, about: {}, request })).body;
  }

  async create<T extends KubeObject>(resource: Resource<T>, place: Place, body: unknown): Promise<T> {
    const request: KubeRequest = {
      method: 'POST',
      path: pathOf(resource, place),
      query: this.#manager(),
      body,
    };
    return this.#askFor({ verb: 'create', resource, about: { ...place, ...namesIn(body) }, request });
  }

  /** The object carries the resourceVersion it was read with, so a concurrent write is a conflict. */
  async update<T extends KubeObject>(resource: Resource<T>, object: T, subresource?: string): Promise<T> {
    const { name, namespace } = object.metadata;
    const place = { name, ...(namespace !== undefined && { namespace }) };
    const path = pathOf(resource, { ...place, ...(subresource !== undefined && { subresource }) });
    const request: KubeRequest = { method: 'PUT', path, query: this.#manager(), body: object };
    return this.#askFor({ verb: 'update', resource, about: place, request });
  }

  async patch<T extends KubeObject>(resource: Resource<T>, place: Place, patch: Patch): Promise<T> {
    const path = pathOf(resource, place);
    const force = 'apply' in patch && patch.force === true ? { force: 'true' } : {};
    const query = { ...this.#manager(), ...force };
    const request: KubeRequest = { method: 'PATCH', path, query, ...patchBody(patch) };
    return this.#askFor({ verb: 'patch', resource, about: place, request });
  }

  /** Requests an operation such as an eviction; the answer is not an object. */
  async request(resource: Resource, place: Place, body: unknown): Promise<void> {
    const request: KubeRequest = {
      method: 'POST',
      path: pathOf(resource, place),
      query: this.#manager(),
      body,
    };
    await this.#ask({ verb: 'create', resource, about: place, request });
  }

  /** Sends a review, such as a TokenReview, which is not stored. The answer is not validated. */
  async review(resource: Resource, body: unknown, place: Place = {}): Promise<unknown> {
    const request: KubeRequest = { method: 'POST', path: pathOf(resource, place), query: {}, body };
    return (await this.#ask({ verb: 'create', resource, about: place, request })).body;
  }

  /** Deletes only the object that was seen; another object of the same name is a conflict. */
  async delete(resource: Resource, place: Place, deletion: Deletion): Promise<void> {
    const { graceSeconds: gracePeriodSeconds, ...preconditions } = deletion;
    const options = { preconditions, propagationPolicy: 'Background', gracePeriodSeconds };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    const request: KubeRequest = { method: 'DELETE', path: pathOf(resource, place), query: {}, body };
    const answer = await this.#ask({ verb: 'delete', resource, about: place, request });
    if (isDeletion(resource, answer.body, place)) return;
    // The answer is a success of unknown form: a read shows whether the object is being deleted.
    const now = (await this.find(resource, place))?.metadata;
    if (now?.uid === deletion.uid && now.deletionTimestamp === undefined)
      throw lostAnswer(
        new TransportError('unreadable', 'the answer does not confirm the deletion'),
        doingOf(request),
      );
  }

  /** Returns an accepted watch; throws if the server refuses it. */
  async watch(
    resource: Resource,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<KubeStream> {
    const { namespace, ...rest } = query;
    const path = pathOf(resource, namespace === undefined ? {} : { namespace });
    const doing = `watch ${path}`;
    const request: KubeRequest = { method: 'GET', path, query: { ...rest, watch: 'true' } };
    try {
      const answer = await this.#measured({ verb: 'watch', resource }, () =>
        this.#options.transport.stream(request, signal),
      );
      if (isStream(answer)) return answer;
      throw failureOf(answer, { doing, resource }, this.#options.clock.now());
    } catch (error) {
      throw error instanceof FleetError ? error : lostAnswer(error, doing);
    }
  }

  /** Called when the current connections seem dead. */
  reconnect(): void {
    this.#options.transport.reconnect();
  }

  async #askFor<T extends KubeObject>(call: Call<T>): Promise<T> {
    const answer = await this.#ask(call);
    return readable(doingOf(call.request), () => objectOf(call.resource, answer.body, call.about));
  }

  async #ask(call: Call): Promise<KubeResponse> {
    const { request, resource, about } = call;
    const question: Question = {
      doing: doingOf(request),
      resource,
      name: isCreation(call) ? undefined : about.name,
    };
    const answer = await this.#measured(call, () => this.#send(request, question.doing));
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw failureOf(answer, question, this.#options.clock.now());
  }

  /** Waits for the rate limiter and measures the request. */
  async #measured<A extends KubeResponse | KubeStream>(
    call: Pick<Call, 'verb' | 'resource'>,
    send: () => Promise<A>,
  ): Promise<A> {
    const { clock, limit } = this.#options;
    const askedAt = clock.now();
    await limit.round();
    const sentAt = clock.now();
    this.#metrics.throttled(sentAt - askedAt);
    const kind = { verb: call.verb, resource: call.resource.plural };
    try {
      const answer = await send();
      this.#metrics.answered(kind, isStream(answer) ? 200 : answer.status, clock.now() - sentAt);
      return answer;
    } catch (error) {
      this.#metrics.answered(kind, undefined, clock.now() - sentAt);
      throw error;
    }
  }

  async #send(request: KubeRequest, doing: string): Promise<KubeResponse> {
    const { transport, clock, deadlineMs = deadlineDefaultMs } = this.#options;
    const giveUp = new AbortController();
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(deadlineMs, () => {
      giveUp.abort();
      late.reject(new TransportError('unknown', `no answer within ${deadlineMs / 1000} s`));
    });
    try {
      return await Promise.race([transport.send(request, giveUp.signal), late.promise]);
    } catch (error) {
      throw lostAnswer(error, doing);
    } finally {
      cancel();
    }
  }

  #manager(): Readonly<Record<string, string>> {
    return { fieldManager: this.#options.fieldManager, fieldValidation: 'Strict' };
  }
}

/** When a creation finds nothing, the namespace is missing, not the object. */
function isCreation({ verb }: Call): boolean {
  return verb === 'create';
}

/** The name that the created object must have. */
function namesIn(body: unknown): About {
  const { name, generateName } = fieldsOf(fieldsOf(body)['metadata']);
  if (typeof name === 'string' && name !== '') return { name };
  return typeof generateName === 'string' ? { namePrefix: generateName } : {};
}

function doingOf({ method, path }: KubeRequest): string {
  return `${method} ${path}`;
}

/** An unreadable answer counts as a lost answer. */
function readable<T>(doing: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw lostAnswer(error, doing);
  }
}

function patchBody(patch: Patch): Pick<KubeRequest, 'contentType' | 'body'> {
  if ('merge' in patch) return { contentType: 'application/merge-patch+json', body: patch.merge };
  if ('json' in patch) return { contentType: 'application/json-patch+json', body: patch.json };
  return { contentType: 'application/apply-patch+yaml', body: patch.apply };
}

function texts(query: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));
}
