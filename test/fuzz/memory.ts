/** What a client has seen on one server, and the values of the placeholders in angle brackets. */
import { isJsonObject, type Json, type JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { isClusterWide, kinds } from './kinds.ts';
import type { KindName } from './step.ts';

interface Seen {
  readonly revisions: string[];
  uid: string;
  object: JsonObject;
}

/** Placeholders for values that were never seen; no server returns them. */
const noUid = '99999999-0000-0000-0000-000000000000';
const noRevision = '1';

export class Memory {
  readonly namespace: string;
  readonly #seen = new Map<string, Seen>();
  readonly #revisions = new Set<string>();
  readonly #tokens = new Map<KindName, string>();

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** Outside namespaces a name must differ from the names of all other sequences. */
  fullName(kind: KindName, name: string): string {
    return isClusterWide(kind) ? `${this.namespace}-${name}` : name;
  }

  /** Learns from an answer to a request about this kind. */
  learn(kind: KindName, body: Json): void {
    if (!isJsonObject(body)) return;
    const { items, metadata } = body;
    if (!Array.isArray(items)) return this.#learnOne(kind, body);
    for (const item of items) if (isJsonObject(item)) this.#learnOne(kind, item);
    const token = isJsonObject(metadata) ? metadata['continue'] : undefined;
    if (typeof token === 'string') this.#tokens.set(kind, token);
  }

  #learnOne(kind: KindName, object: JsonObject): void {
    const identity = identityOf(object);
    if (identity === undefined) return;
    const { name, uid, resourceVersion } = identity;
    const key = keyOf(kind, name);
    const before = this.#seen.get(key);
    const revisions = before?.revisions ?? [];
    if (!revisions.includes(resourceVersion)) revisions.push(resourceVersion);
    this.#revisions.add(resourceVersion);
    this.#seen.set(key, { revisions, uid, object: isWhole(object) ? object : (before?.object ?? {}) });
  }

  lastSeen(kind: KindName, name: string): JsonObject {
    return this.#seen.get(keyOf(kind, this.fullName(kind, name)))?.object ?? {};
  }

  /** Replaces every placeholder by its value. */
  read(kind: KindName, name: string, value: Json): Json {
    // No value contains a character that JSON would escape.
    const read: Json = JSON.parse(this.readText(kind, JSON.stringify(value), name));
    return read;
  }

  readText(kind: KindName, text: string, name = 'a'): string {
    return text.replaceAll(/<(\w+)>/g, (whole, word: string) => this.#meaning(kind, name, word) ?? whole);
  }

  #meaning(kind: KindName, name: string, word: string): string | undefined {
    const seen = this.#seen.get(keyOf(kind, this.fullName(kind, name)));
    const all = [...this.#revisions].toSorted((a, b) => Number(BigInt(a) - BigInt(b)));
    const meanings: Readonly<Record<string, () => string>> = {
      revision: () => newest(seen?.revisions ?? []),
      stale: () => seen?.revisions.at(-2) ?? noRevision,
      uid: () => seen?.uid ?? noUid,
      first: () => all[0] ?? '0',
      latest: () => all.at(-1) ?? '0',
      token: () => this.#tokens.get(kind) ?? '',
      namespace: () => this.namespace,
      a: () => this.fullName(kind, 'a'),
      b: () => this.fullName(kind, 'b'),
      other: () => this.fullName(kind, 'other'),
    };
    return meanings[word]?.();
  }
}

interface Identity {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

function identityOf({ kind, metadata }: JsonObject): Identity | undefined {
  if (!isJsonObject(metadata) || kind === 'Status') return undefined;
  const { name, uid, resourceVersion } = metadata;
  if (typeof name !== 'string' || typeof uid !== 'string' || typeof resourceVersion !== 'string')
    return undefined;
  return { name, uid, resourceVersion };
}

/** Neither a scale nor an item of a built-in list can be sent back as the object. */
function isWhole({ kind }: JsonObject): boolean {
  return kind !== 'Scale' && kind !== undefined;
}

function newest(revisions: readonly string[]): string {
  return revisions.at(-1) ?? noRevision;
}

/** Both versions of a kind show the same objects. */
function keyOf(kind: KindName, name: string): string {
  return `${kinds[kind].resource.plural}/${name}`;
}
