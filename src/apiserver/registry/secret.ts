/** Secrets: `stringData` is a way to write `data` and is never stored, and `data` is base64. */
import { isJsonObject, type Json } from '../json.ts';
import { withFields, type KubeObject } from '../kube-object.ts';
import { badRequest } from '../status-error.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function conformSecret(secret: KubeObject): KubeObject {
  const data = entriesOf(secret['data']);
  const broken = data.find(([, value]) => typeof value !== 'string' || !base64.test(value));
  if (broken !== undefined)
    throw badRequest(
      `Secret in version "v1" cannot be handled as a Secret: illegal base64 data in ${broken[0]}`,
    );
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
