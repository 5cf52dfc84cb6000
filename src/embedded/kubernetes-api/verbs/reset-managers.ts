/**
 * For built-in kinds an empty managedFields list clears the record, like one empty entry for all kinds, because a typed
 * client never sends an empty list by mistake. Decoding drops empty lists, so this function restores the list.
 */
import { isJsonObject, type Json } from '../json.ts';
import { withMeta, type KubeObject } from '../kube-object.ts';
import type { Call } from './call.ts';

export function resetAsSent(call: Call, body: Json | undefined, decoded: KubeObject): KubeObject {
  const metadata = isJsonObject(body) ? body['metadata'] : undefined;
  const sent = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  const isEmptyList = Array.isArray(sent) && sent.length === 0;
  return isEmptyList && !call.resource.typedItems ? withMeta(decoded, { managedFields: [{}] }) : decoded;
}
