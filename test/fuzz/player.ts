/** Runs a sequence on one server, in its own namespace, and records every answer. */
import { Collection } from '../../lab/contracts/kubernetes-api/collection.ts';
import { resources } from '../../lab/contracts/kubernetes-api/resources.ts';
import type { Response, Target, WatchEvent, WatchHandle } from '../../lab/contracts/kubernetes-api/target.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { someReplicas } from './field-values.ts';
import { isClusterWide, kinds } from './kinds.ts';
import { Memory } from './memory.ts';
import type { Create, KindName, Part, Patch, Put, Query, Step, Watch } from './step.ts';

export type Entry =
  | { readonly step: number | 'end'; readonly what: string; readonly response: Response }
  | {
      readonly step: number;
      readonly what: string;
      readonly events: readonly WatchEvent[];
      readonly initial: number;
      readonly end: string;
    };

interface Running {
  readonly index: number;
  readonly step: Watch;
  readonly handle: WatchHandle;
  /** The number of initial events, which come in any order. */
  readonly initial: number;
}

const fenceMark = 'fuzz.example.com/fence';

export class Player {
  readonly #target: Target;
  readonly #memory: Memory;
  readonly #watches: Running[] = [];
  readonly #entries: Entry[] = [];

  constructor(target: Target, namespace: string) {
    this.#target = target;
    this.#memory = new Memory(namespace);
  }

  async play(steps: readonly Step[]): Promise<readonly Entry[]> {
    const namespaces = new Collection(this.#target, resources.namespaces, '');
    const { status } = await namespaces.post(namespaces.draft(this.#memory.namespace));
    if (status !== 201) throw new Error(`the namespace of a sequence was refused with ${status}`);
    try {
      for (const [index, step] of steps.entries()) await this.#take(index, step);
      for (const watch of this.#watches) await this.#readToFence(watch);
      for (const kind of new Set(steps.map((step) => step.kind))) await this.#showAll(kind);
    } finally {
      for (const { handle } of this.#watches) await handle.close();
    }
    return this.#entries;
  }

  async #take(index: number, step: Step): Promise<void> {
    const what = step.verb;
    if (step.verb === 'watch') return this.#startWatch(index, step);
    const response = await this.#send(index, step);
    if (!isDry(step)) this.#memory.learn(step.kind, asJson(response.body));
    this.#entries.push({ step: index, what, response });
  }

  async #send(index: number, step: Exclude<Step, Watch>): Promise<Response> {
    const objects = this.#collection(step.kind, step.place);
    const query = this.#query(step.kind, step.query);
    if (step.verb === 'create') return objects.post(this.#createBody(index, step), query);
    if (step.verb === 'list') {
      await this.#catchUp(step.kind, query);
      return objects.list(query);
    }
    if (step.verb === 'deleteAll') {
      const body = step.options && { body: this.#memory.read(step.kind, 'a', step.options) };
      return this.#target.request({ method: 'DELETE', path: objects.path(), query, ...body });
    }
    const name = this.#memory.fullName(step.kind, step.name);
    switch (step.verb) {
      case 'put':
        return objects.put(name, scaledBy(index, step.part, this.#putBody(step)), {
          query,
          ...subresource(step.part),
        });
      case 'patch':
        return objects.patch(
          name,
          { [step.type]: quoted(scaledBy(index, step.part, this.#patchBody(step))) },
          { query, ...subresource(step.part) },
        );
      case 'delete': {
        const options = step.options && { options: this.#memory.read(step.kind, step.name, step.options) };
        return objects.delete(name, { query, ...options });
      }
      case 'get':
        await this.#catchUp(step.kind, query);
        return this.#target.request({ method: 'GET', path: pathOf(objects, name, step.part), query });
    }
  }

  #collection(kind: KindName, place?: 'own' | 'other'): Collection {
    const { namespace } = this.#memory;
    return new Collection(
      this.#target,
      kinds[kind].resource,
      place === 'other' ? `${namespace}-a` : namespace,
    );
  }

  #query(kind: KindName, query: Query): Query {
    return Object.fromEntries(
      Object.entries(query).map(([key, value]) => [key, this.#memory.readText(kind, value)]),
    );
  }

  /** A read from a cache shows the newest state only after a quorum read. */
  async #catchUp(kind: KindName, { resourceVersion = '' }: Query): Promise<void> {
    if (resourceVersion !== '') await this.#collection(kind).list({ labelSelector: 'fuzz=nothing' });
  }

  #typed(kind: KindName, part: Part, body: JsonObject): JsonObject {
    const type =
      part === 'scale'
        ? { apiVersion: 'autoscaling/v1', kind: 'Scale' }
        : { apiVersion: this.#collection(kind).apiVersion, kind: kinds[kind].resource.kind };
    return { ...type, ...body };
  }

  #createBody(index: number, { kind, name, body }: Create): Json {
    const said = isJsonObject(body['metadata']) ? body['metadata'] : undefined;
    const naming =
      name === undefined ? { generateName: `g${index}-` } : { name: this.#memory.fullName(kind, name) };
    const typed = this.#typed(kind, 'main', body);
    return this.#memory.read(
      kind,
      name ?? '',
      said === undefined ? typed : { ...typed, metadata: { ...naming, ...said } },
    );
  }

  #putBody({ kind, name, part, over, body }: Put): Json {
    const typed = this.#typed(kind, part, body);
    const { metadata: said } = body;
    const seen = over === 'seen' ? this.#memory.lastSeen(kind, name) : {};
    const seenMeta = isJsonObject(seen['metadata'])
      ? seen['metadata']
      : { name: this.#memory.fullName(kind, name) };
    const metadata = isJsonObject(said) ? { ...seenMeta, ...said } : (said ?? seenMeta);
    return this.#memory.read(kind, name, { ...(part === 'scale' ? {} : seen), ...typed, metadata });
  }

  #patchBody({ kind, name, part, type, body }: Patch): Json {
    if (type !== 'apply' || !isJsonObject(body)) return this.#memory.read(kind, name, body);
    const { metadata: said } = body;
    const metadata = isJsonObject(said) ? { name: this.#memory.fullName(kind, name), ...said } : (said ?? {});
    return this.#memory.read(kind, name, { ...this.#typed(kind, part, body), metadata });
  }

  async #startWatch(index: number, step: Watch): Promise<void> {
    const objects = this.#collection(step.kind);
    const query = this.#query(step.kind, step.query);
    await this.#catchUp(step.kind, query);
    const opened = await this.#open(objects, query);
    if ('status' in opened) this.#entries.push({ step: index, what: 'watch', response: opened });
    else
      this.#watches.push({ index, step, handle: opened, initial: await this.#countInitial(objects, query) });
  }

  /** The answer of a refused watch can only be read with an ordinary request. */
  async #open(objects: Collection, query: Query): Promise<WatchHandle | Response> {
    const refused = (): Promise<Response> =>
      this.#target.request({ method: 'GET', path: objects.path(), query: { ...query, watch: 'true' } });
    return objects.watch(query).catch(refused);
  }

  async #countInitial(objects: Collection, query: Query): Promise<number> {
    const { resourceVersion = '', sendInitialEvents, labelSelector, fieldSelector } = query;
    const showsState =
      sendInitialEvents === undefined
        ? resourceVersion === '' || resourceVersion === '0'
        : sendInitialEvents === 'true';
    if (!showsState) return 0;
    const selectors = {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
    const { body } = await objects.list(selectors);
    const items = isJsonObject(asJson(body)) ? new Map(Object.entries(asJson(body) ?? {})).get('items') : [];
    return Array.isArray(items) ? items.length : 0;
  }

  async #readToFence({ index, step, handle, initial }: Running): Promise<void> {
    const mark = `w${index}`;
    const written = await this.#writeFence(step, mark);
    this.#entries.push({ step: index, what: 'fence', response: written });
    if (written.status >= 300) return;
    const events: WatchEvent[] = [];
    let end = 'fence';
    try {
      for (;;) {
        const event = await handle.next();
        if (event.type === 'BOOKMARK' && !isEndOfState(event)) continue;
        events.push(event);
        if (annotationOf(event) === mark) break;
      }
    } catch {
      end = 'ended by the server';
    }
    this.#entries.push({ step: index, what: 'watch', events, initial, end });
  }

  /** Writes the object whose event must be the last of the watch. */
  async #writeFence({ kind, fence }: Watch, mark: string): Promise<Response> {
    const objects = this.#collection(kind);
    const name = this.#memory.fullName(kind, fence.name || `zz-fence-${mark}`);
    const metadata = { labels: fence.labels, annotations: { [fenceMark]: mark } };
    const query = { fieldManager: 'fence' };
    const there = await objects.get(name);
    if (there.status === 200) return objects.patch(name, { merge: { metadata, ...fence.fields } }, { query });
    return objects.post(
      objects.draft(name, { ...kinds[kind].least, ...fence.fields, metadata: { name, ...metadata } }),
      query,
    );
  }

  /** Lists all remaining objects, also to detect effects of a dry run or a refused write. */
  async #showAll(kind: KindName): Promise<void> {
    const objects = this.#collection(kind);
    const responses = isClusterWide(kind)
      ? [
          await objects.get(this.#memory.fullName(kind, 'a')),
          await objects.get(this.#memory.fullName(kind, 'b')),
        ]
      : [await objects.list()];
    for (const response of responses)
      this.#entries.push({ step: 'end', what: `${kind} at the end`, response });
  }
}

/** The result of a dry run is not stored. */
function isDry({ query, ...step }: Step): boolean {
  return query['dryRun'] === 'All' || ('options' in step && step.options?.['dryRun'] !== undefined);
}

/** A string is sent verbatim, so a JSON string needs its own quotes. */
function quoted(body: Json): Json {
  return typeof body === 'string' ? JSON.stringify(body) : body;
}

/** On the real server the owner of replicas after an unchanged scale is random, so each scale changes them. */
function scaledBy(index: number, part: Part, body: Json): Json {
  if (part !== 'scale' || !isJsonObject(body) || !isJsonObject(body['spec'])) return body;
  const { spec } = body;
  return spec['replicas'] === someReplicas
    ? { ...body, spec: { ...spec, replicas: someReplicas + index } }
    : body;
}

function subresource(part: Part): { subresource?: string } {
  return part === 'main' ? {} : { subresource: part };
}

function pathOf(objects: Collection, name: string, part: Part): string {
  return part === 'main' ? objects.path(name) : objects.path(name, part);
}

export function asJson(value: unknown): Json {
  const json: Json = value === undefined ? null : JSON.parse(JSON.stringify(value));
  return json;
}

function annotationsOf({ object }: WatchEvent): JsonObject {
  const json = asJson(object);
  const metadata = isJsonObject(json) ? json['metadata'] : undefined;
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) ? annotations : {};
}

function annotationOf(event: WatchEvent): Json | undefined {
  return annotationsOf(event)[fenceMark];
}

function isEndOfState(event: WatchEvent): boolean {
  return annotationsOf(event)['k8s.io/initial-events-end'] !== undefined;
}
