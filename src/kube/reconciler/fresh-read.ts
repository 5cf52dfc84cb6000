/** Reads past every cache; only this file may mark a value as fresh. */
import type { KubeClient } from '../client/client.ts';
import type { KubeObject, Place, Resource } from '../client/kube-object.ts';
import type { Fresh } from './plan.ts';

export async function freshRead<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  place: Place,
): Promise<Fresh<{ readonly object: T | undefined }>> {
  return markFresh({ object: await client.find(resource, place) });
}

const pageSize = 500;

/** All objects of a kind, past every cache. An incomplete list is a failure, not a short list. */
export async function freshList<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const query = { limit: pageSize, ...(next !== undefined && { continue: next }) };
    const page = await client.listPage(resource, query);
    all.push(...page.items);
    next = page.continue;
  } while (next !== undefined && next !== '');
  return all;
}

function markFresh<T extends object>(value: T): Fresh<T> {
  if (isFresh(value)) return value;
  throw new Error('unreachable: a fresh read is fresh');
}

/** True by construction: only `freshRead` passes a value in. */
function isFresh<T extends object>(_value: T): _value is Fresh<T> {
  return true;
}
