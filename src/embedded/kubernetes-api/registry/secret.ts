/** Secrets: `stringData` is write-only and becomes `data`, which is base64. */
import { isJsonObject, type Json } from '../json.ts';
import { withFields, type KubeObject } from '../kube-object.ts';
import { badRequest } from '../status-error.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Rejects invalid base64, like the decoder of the real server. */
export function refuseBrokenBytes(object: KubeObject, field: 'data' | 'binaryData'): void {
  const broken = entriesOf(object[field]).find(
    ([, value]) => typeof value !== 'string' || !base64.test(value),
  );
  if (broken !== undefined)
    throw badRequest(`${object.kind} cannot be handled: illegal base64 data in ${field}[${broken[0]}]`);
}

export function conformSecret(secret: KubeObject): KubeObject {
  refuseBrokenBytes(secret, 'data');
  const data = entriesOf(secret['data']);
  const plain = entriesOf(secret['stringData']).map(
    ([key, value]) =>
      [
        key,
        Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64'),
      ] as const,
  );
  const folded = Object.fromEntries([...data, ...plain]);
  return withFields(secret, {
    type: secret['type'] || 'Opaque',
    data: Object.keys(folded).length > 0 ? folded : undefined,
    stringData: undefined,
  });
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
