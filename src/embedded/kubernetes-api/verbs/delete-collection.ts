/** DELETE of a collection: deletes every matching object individually. */
import type { JsonObject } from '../json.ts';
import { namespaceOf } from '../kube-object.ts';
import { storageName } from '../registry/resource.ts';
import type { Call } from './call.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { remove } from './delete.ts';
import { list } from './list.ts';
import { selectionOf } from './selection.ts';

export function deleteCollection(call: Call): JsonObject {
  const answer = list(call);
  const selects = selectionOf(call);
  const snapshot = call.store.list(storageName(call.resource));
  if (snapshot === 'expired') throw new Error('the current state cannot have expired');
  const options = deleteOptionsOf(call);
  for (const object of snapshot.items.filter(selects))
    remove({ ...call, namespace: namespaceOf(object) }, object, options);
  return answer;
}
