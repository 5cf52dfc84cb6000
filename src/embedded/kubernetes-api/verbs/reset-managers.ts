/**
 * A typed client cannot send a list of managedFields with nothing in it by mistake, so for the built-in kinds an empty
 * list clears what was recorded, just as one empty entry does for all. Decoding drops empty lists, so it is put back.
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
