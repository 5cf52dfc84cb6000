/** GET of a collection. All pages show the state at the revision of the first page. */
import type { Json, JsonObject } from '../json.ts';
import { namespaceOf, type KubeObject } from '../kube-object.ts';
import { apiVersionOf, storageName } from '../registry/resource.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { keyOf, type Snapshot } from '../store/store.ts';
import { wholeNumber, type Call } from './call.ts';
import { refuseListOptions } from './options.ts';
import { readToken, writeToken, type ContinueToken } from './continue-token.ts';
import { asksForOneName, hasSelector, refuseUnreadableSelectors, selectionOf } from './selection.ts';

export function list(call: Call): JsonObject {
  refuseUnreadableSelectors(call);
  const limit = limitIn(call);
  refuseListOptions(call);
  const selects = selectionOf(call);
  const token = call.query['continue'] ? readToken(call.query['continue']) : undefined;
  const snapshot = snapshotFor(call, token);
  const matching = snapshot.items.filter(
    (object) => selects(object) && (token === undefined || keyOfObject(object) > token.after),
  );
  const page = limit > 0 ? matching.slice(0, limit) : matching;
  return {
    kind: call.resource.listKind,
    apiVersion: apiVersionOf(call.resource),
    metadata: {
      resourceVersion: String(snapshot.revision),
      ...rest(call, snapshot, { page, isFull: page.length === limit, left: matching.length - page.length }),
    },
    items: page.map((object) => itemOf(call, object)),
  };
}

/** A negative limit is none, and with resourceVersion=0 there is no limit. */
function limitIn({ query }: Call): number {
  const { limit = '' } = query;
  const digits = wholeNumber(limit.replace(/^-/, '') || '0', 'limit');
  const isAnyState = query['resourceVersion'] === '0' && !query['continue'];
  return limit.startsWith('-') || isAnyState ? 0 : digits;
}

function snapshotFor(call: Call, token: ContinueToken | undefined): Snapshot {
  const asked = call.query['resourceVersion'] ?? '';
  if (token !== undefined && asked !== '' && asked !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const snapshot = call.store.list(storageName(call.resource), token?.revision ?? exactRevision(call, asked));
  if (snapshot === 'expired') {
    throw new StatusError(
      'Expired',
      'The provided continue parameter is too old to display a consistent list result.',
    );
  }
  return snapshot;
}

/** Undefined for the current state, which also satisfies "not older than". */
function exactRevision(call: Call, asked: string): number | undefined {
  if (asked === '' || asked === '0') return undefined;
  const revision = wholeNumber(asked, 'resourceVersion');
  if (revision > call.store.revision) {
    throw new StatusError(
      'Timeout',
      `Too large resource version: ${revision}, current: ${call.store.revision}`,
      {
        causes: [{ field: '', reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      },
    );
  }
  const { resourceVersionMatch: match = '' } = call.query;
  // A page at a revision is always exact.
  return match === 'Exact' || (match === '' && limitIn(call) > 0 && !asksForOneName(call))
    ? revision
    : undefined;
}

interface Rest {
  readonly page: readonly KubeObject[];
  readonly isFull: boolean;
  readonly left: number;
}

/**
 * A full page is followed by another if any object follows, also one that does not match, because it is not checked
 * yet. The remaining count is sent only without selectors.
 */
function rest(call: Call, snapshot: Snapshot, { page, isFull, left }: Rest): JsonObject {
  const last = page.at(-1);
  if (last === undefined || !isFull) return {};
  const after = keyOfObject(last);
  const token = writeToken({ revision: snapshot.revision, after });
  if (!hasSelector(call)) return left === 0 ? {} : { continue: token, remainingItemCount: left };
  const isInPlace = (object: KubeObject): boolean =>
    call.namespace === '' || namespaceOf(object) === call.namespace;
  const isLast = !snapshot.items.some((object) => isInPlace(object) && keyOfObject(object) > after);
  return isLast || asksForOneName(call) ? {} : { continue: token };
}

function keyOfObject(object: KubeObject): string {
  return keyOf(namespaceOf(object), object.metadata.name);
}

/** Items of built-in lists have no kind. */
function itemOf(call: Call, object: KubeObject): Json {
  const served = call.resource.serve(object);
  if (call.resource.typedItems) return served;
  const { apiVersion: _apiVersion, kind: _kind, ...untyped } = served;
  return untyped;
}
