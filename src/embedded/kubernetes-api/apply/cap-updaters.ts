/**
 * Limits the list of updaters of an object: beyond ten, the oldest updaters of a version are merged into
 * `ancient-changes`. All appliers are kept, because the fields that they stop applying must be removed.
 */
import { union } from './field-set.ts';
import { ownerKey, type Owner, type Owners } from './managers.ts';

const updatersMax = 10;
const bucketName = 'ancient-changes';

export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === 'Update');
  if (updaters.length <= updatersMax) return owners;
  const capped = new Map(owners);
  const firsts = new Map<string, string>();
  let count = updaters.length;
  for (const [key, owner] of updaters.toSorted(byAge)) {
    if (count <= updatersMax) break;
    const first = firsts.get(owner.apiVersion);
    if (first === undefined) firsts.set(owner.apiVersion, key);
    else {
      pourInto(capped, { first, key, owner });
      count -= 1;
    }
  }
  return capped;
}

interface Pour {
  /** The key of the oldest owner of the same version, which becomes the bucket if there is none. */
  readonly first: string;
  readonly key: string;
  readonly owner: Owner;
}

function pourInto(capped: Map<string, Owner>, { first, key, owner }: Pour): void {
  const name = { ...owner, manager: bucketName, subresource: '' };
  const bucketKey = ownerKey(name);
  const bucket = capped.get(bucketKey) ?? capped.get(first);
  if (!capped.has(bucketKey)) capped.delete(first);
  capped.delete(key);
  capped.set(bucketKey, { ...name, fields: union(owner.fields, bucket?.fields ?? {}) });
}

function byAge([a, mine]: readonly [string, Owner], [b, yours]: readonly [string, Owner]): number {
  const [earlier, later] = [mine.time ?? '', yours.time ?? ''];
  if (earlier !== later) return earlier < later ? -1 : 1;
  return a < b ? -1 : 1;
}
