/** The validation of the data of ConfigMaps and Secrets. */
import { fieldNames, isJsonObject, type Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';

const dataKey = /^[-._a-zA-Z0-9]+$/;
const keyMax = 253;

export function configMapCauses(object: KubeObject): readonly Cause[] {
  const [data, binary] = [keysOf(object['data']), keysOf(object['binaryData'])];
  const inBinary = new Set(binary);
  const twice = data
    .filter((key) => inBinary.has(key))
    .map((key) => fault(`data[${key}]`, 'FieldValueInvalid', 'duplicate of key present in binaryData'));
  const bytes = bytesIn(object['data'], textBytes) + bytesIn(object['binaryData'], base64Bytes);
  return [...keyCauses('data', data), ...keyCauses('binaryData', binary), ...twice, ...sizeCauses('', bytes)];
}

export function secretDataCauses(secret: KubeObject): readonly Cause[] {
  const keys = keysOf(secret['data']);
  const missing = missingKeys(secret['type'] ?? '', keys).map((key) =>
    fault(`data[${key}]`, 'FieldValueRequired', 'Required value'),
  );
  return [
    ...keyCauses('data', keys),
    ...sizeCauses('data', bytesIn(secret['data'], base64Bytes)),
    ...missing,
  ];
}

/** The total size of all values, without keys. */
const bytesMax = 1024 * 1024;

function sizeCauses(field: string, bytes: number): readonly Cause[] {
  return bytes <= bytesMax
    ? []
    : [fault(field, 'FieldValueTooLong', `Too long: may not be more than ${bytesMax} bytes`)];
}

function bytesIn(values: Json | undefined, size: (text: string) => number): number {
  if (!isJsonObject(values)) return 0;
  return fieldNames(values).reduce((sum, key) => {
    const text = values[key];
    return sum + (typeof text === 'string' ? size(text) : 0);
  }, 0);
}

const textBytes = (text: string): number => Buffer.byteLength(text);
const base64Bytes = (text: string): number => Buffer.byteLength(text, 'base64');

/** The required keys of well-known Secret types. */
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
  return isJsonObject(value) ? fieldNames(value) : [];
}

function fault(field: string, reason: string, message: string): Cause {
  return { field, reason, message };
}
