/** What the data of ConfigMaps and Secrets must look like. */
import { isJsonObject, type Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';

const dataKey = /^[-._a-zA-Z0-9]+$/;
const keyMax = 253;

export function configMapCauses(object: KubeObject): readonly Cause[] {
  const [data, binary] = [keysOf(object['data']), keysOf(object['binaryData'])];
  const twice = data
    .filter((key) => binary.includes(key))
    .map((key) => fault(`data[${key}]`, 'FieldValueInvalid', 'duplicate of key present in binaryData'));
  return [...keyCauses('data', data), ...keyCauses('binaryData', binary), ...twice];
}

export function secretDataCauses(secret: KubeObject): readonly Cause[] {
  const keys = keysOf(secret['data']);
  const missing = missingKeys(secret['type'] ?? '', keys).map((key) =>
    fault(`data[${key}]`, 'FieldValueRequired', 'Required value'),
  );
  return [...keyCauses('data', keys), ...missing];
}

/** What a Secret of a well-known type must hold. */
const wantedKeys: ReadonlyMap<Json, readonly string[]> = new Map([
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
]);
const basicAuth = ['username', 'password'];

function missingKeys(type: Json, keys: readonly string[]): readonly string[] {
  if (type === 'kubernetes.io/basic-auth')
    return basicAuth.some((key) => keys.includes(key)) ? [] : basicAuth;
  return (wantedKeys.get(type) ?? []).filter((key) => !keys.includes(key));
}

function keyCauses(field: string, keys: readonly string[]): readonly Cause[] {
  return keys
    .filter((key) => !dataKey.test(key) || key.length > keyMax || key === '.' || key.startsWith('..'))
    .map((key) => fault(`${field}[${key}]`, 'FieldValueInvalid', 'not a valid config key'));
}

function keysOf(value: Json | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

function fault(field: string, reason: string, message: string): Cause {
  return { field, reason, message };
}
