/**
 * The answers of a server, without values that differ between servers: revisions become ranks, uids their order of
 * appearance, times and message texts are removed. Revisions of lists only show the rank before them, because on a busy
 * server other sequences write in between.
 */
import type { Response, WatchEvent } from '../../lab/contracts/kubernetes-api/target.ts';
import { isJsonObject, without, type Json, type JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { asJson, type Entry } from './player.ts';

export interface Line {
  readonly step: number | 'end';
  readonly what: string;
  readonly said: Json;
}

export function transcriptOf(entries: readonly Entry[], namespace: string): readonly Line[] {
  const ranks = new Ranks(entries.flatMap(objectsIn));
  const lines = entries.map((entry) => ({ step: entry.step, what: entry.what, said: said(entry, ranks) }));
  return lines.map((line) => ({ ...line, said: anonymous(line.said, namespace, ranks.uids) }));
}

function objectsIn(entry: Entry): readonly Json[] {
  if ('events' in entry)
    return entry.events.filter(({ type }) => type !== 'BOOKMARK').map(({ object }) => asJson(object));
  const body = asJson(entry.response.body);
  const items = isJsonObject(body) ? body['items'] : undefined;
  return Array.isArray(items) ? items : [body];
}

class Ranks {
  readonly #revisions: readonly bigint[];
  readonly uids: readonly string[];

  constructor(objects: readonly Json[]) {
    const metadatas = objects.map(metadataOf);
    const seen = metadatas.flatMap(({ resourceVersion }) =>
      isRevision(resourceVersion) ? BigInt(resourceVersion) : [],
    );
    this.#revisions = [...new Set(seen)].toSorted((a, b) => (a < b ? -1 : 1));
    const uids = objects.map((object) => metadataOf(object)['uid'] ?? detailsOf(object)['uid']);
    this.uids = [...new Set(uids.filter((uid): uid is string => typeof uid === 'string' && uid !== ''))];
  }

  exact(revision: Json | undefined): Json {
    return isRevision(revision) ? `r${this.#revisions.indexOf(BigInt(revision)) + 1}` : (revision ?? 'none');
  }

  /** The last write that a list includes. */
  floor(revision: Json | undefined): Json {
    if (!isRevision(revision)) return revision ?? 'none';
    return `from r${this.#revisions.filter((one) => one <= BigInt(revision)).length}`;
  }
}

function isRevision(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[1-9]\d*$/.test(value);
}

function said(entry: Entry, ranks: Ranks): Json {
  if (!('events' in entry)) return saidInResponse(entry.response, ranks);
  const first = entry.events.slice(0, entry.initial).toSorted(byName);
  const events = [...first, ...entry.events.slice(entry.initial)].map((event) => saidInEvent(event, ranks));
  return { end: entry.end, events };
}

function byName(a: WatchEvent, b: WatchEvent): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

function nameOf({ object }: WatchEvent): string {
  const { name } = metadataOf(asJson(object));
  return typeof name === 'string' ? name : '';
}

function saidInEvent({ type, object }: WatchEvent, ranks: Ranks): Json {
  const json = asJson(object);
  if (type === 'BOOKMARK') return { type, object: listed(json, ranks) };
  return { type, object: bodySaid(json, ranks) };
}

function saidInResponse({ status, headers, body: answer }: Response, ranks: Ranks): Json {
  return { status, warned: headers['warning'] !== undefined, body: bodySaid(asJson(answer), ranks) };
}

function bodySaid(json: Json, ranks: Ranks): Json {
  if (!isJsonObject(json)) return typeof json === 'string' ? 'text' : json;
  if (json['kind'] === 'Status') return statusOf(json);
  if (Array.isArray(json['items'])) {
    const list = listed(json, ranks);
    return { ...list, items: json['items'].map((item) => objectOf(item, ranks)) };
  }
  return objectOf(json, ranks);
}

/** A list or a bookmark: its revision belongs to a state, and not to an object. */
function listed(json: Json, ranks: Ranks): JsonObject {
  if (!isJsonObject(json)) return {};
  const metadata = metadataOf(json);
  const hasMore = (metadata['continue'] ?? '') !== '';
  return {
    ...json,
    metadata: {
      ...without(metadata, 'continue'),
      ...(hasMore && { continue: 'a token' }),
      resourceVersion: ranks.floor(metadata['resourceVersion']),
    },
  };
}

function objectOf(json: Json, ranks: Ranks): Json {
  if (!isJsonObject(json)) return json;
  const metadata = metadataOf(json);
  const { managedFields, finalizers } = metadata;
  const times = ['creationTimestamp', 'deletionTimestamp'].filter((key) => typeof metadata[key] === 'string');
  return {
    ...json,
    metadata: {
      ...metadata,
      ...Object.fromEntries(times.map((key) => [key, 'a time'])),
      resourceVersion: ranks.exact(metadata['resourceVersion']),
      ...(Array.isArray(finalizers) && { finalizers: inOrder(finalizers) }),
      ...(Array.isArray(managedFields) && { managedFields: owners(managedFields) }),
    },
  };
}

/** The real server inserts its own finalizers at a random place. */
function inOrder(finalizers: readonly Json[]): Json {
  const isServers = finalizers.includes('foregroundDeletion') || finalizers.includes('orphan');
  return isServers ? finalizers.map(String).toSorted() : finalizers;
}

/** The real server sorts them by time, which has a resolution of a second here. */
function owners(managedFields: readonly Json[]): Json {
  const timeless = managedFields.filter(isJsonObject).map((owner) => without(owner, 'time'));
  const keyed = timeless.map((owner) => ({ owner, key: keyOfOwner(owner) }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ owner }) => owner);
}

function keyOfOwner({ manager, operation, subresource, apiVersion }: JsonObject): string {
  return JSON.stringify([manager, operation, subresource, apiVersion]);
}

function statusOf(status: JsonObject): Json {
  const { causes, ...details } = detailsOf(status);
  const list = Array.isArray(causes) ? causes.filter(isJsonObject) : [];
  const reported = list.map(({ field = '', reason = '' }) => JSON.stringify([field, reason]));
  return {
    status: status['status'] ?? '',
    code: status['code'] ?? 0,
    reason: status['reason'] ?? '',
    details: {
      ...details,
      causes: [...new Set(reported)].filter((one) => !one.startsWith('["<nil>"')).toSorted(),
    },
  };
}

function detailsOf(json: Json): JsonObject {
  const details = isJsonObject(json) ? json['details'] : undefined;
  return isJsonObject(details) ? details : {};
}

function metadataOf(json: Json): JsonObject {
  const metadata = isJsonObject(json) ? json['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata : {};
}

/** Generated names, and the namespace of the sequence, anywhere in the text, even inside keys. */
function anonymous(value: Json, namespace: string, uids: readonly string[]): Json {
  let text = JSON.stringify(value).replaceAll(namespace, 'NS');
  for (const [index, uid] of uids.entries()) text = text.replaceAll(uid, `uid-${index + 1}`);
  const result: Json = JSON.parse(text.replaceAll(/\bg(\d*)-[a-z0-9]{5}\b/g, 'g$1-*'));
  return result;
}
