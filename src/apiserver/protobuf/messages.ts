/**
 * The messages that kubectl and other Go clients post in protobuf whatever the server says it accepts. Numbers and
 * types are those of the published API; kinds that are not here are refused, and can be sent as JSON.
 */

export type FieldType =
  | 'string'
  | 'bool'
  | 'int'
  /** A moment; an empty one is no moment at all. */
  | 'time'
  | { readonly message: Message }
  | { readonly map: 'string' | 'bytes' };

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly repeated?: true;
}

/** Fields by their number. */
export type Message = ReadonlyMap<number, Field>;

function message(fields: Readonly<Record<number, readonly [string, FieldType, 'repeated'?]>>): Message {
  const entries = Object.entries(fields).map(([number, [name, type, repeated]]): [number, Field] => [
    Number(number),
    { name, type, ...(repeated !== undefined && { repeated: true }) },
  ]);
  return new Map(entries);
}

const ownerReference = message({
  1: ['kind', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['controller', 'bool'],
  7: ['blockOwnerDeletion', 'bool'],
});

const metadata = message({
  1: ['name', 'string'],
  2: ['generateName', 'string'],
  3: ['namespace', 'string'],
  4: ['selfLink', 'string'],
  5: ['uid', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['generation', 'int'],
  8: ['creationTimestamp', 'time'],
  9: ['deletionTimestamp', 'time'],
  10: ['deletionGracePeriodSeconds', 'int'],
  11: ['labels', { map: 'string' }],
  12: ['annotations', { map: 'string' }],
  13: ['ownerReferences', { message: ownerReference }, 'repeated'],
  14: ['finalizers', 'string', 'repeated'],
});

const objectReference = message({
  1: ['kind', 'string'],
  2: ['namespace', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['fieldPath', 'string'],
});

const preconditions = message({ 1: ['uid', 'string'], 2: ['resourceVersion', 'string'] });

/** By apiVersion and kind. */
export const messages: ReadonlyMap<string, Message> = new Map([
  [
    'v1 Namespace',
    message({
      1: ['metadata', { message: metadata }],
      2: ['spec', { message: message({ 1: ['finalizers', 'string', 'repeated'] }) }],
      3: ['status', { message: message({ 1: ['phase', 'string'] }) }],
    }),
  ],
  [
    'v1 ConfigMap',
    message({
      1: ['metadata', { message: metadata }],
      2: ['data', { map: 'string' }],
      3: ['binaryData', { map: 'bytes' }],
      4: ['immutable', 'bool'],
    }),
  ],
  [
    'v1 Secret',
    message({
      1: ['metadata', { message: metadata }],
      2: ['data', { map: 'bytes' }],
      3: ['type', 'string'],
      4: ['stringData', { map: 'string' }],
      5: ['immutable', 'bool'],
    }),
  ],
  [
    'v1 ServiceAccount',
    message({
      1: ['metadata', { message: metadata }],
      2: ['secrets', { message: objectReference }, 'repeated'],
      3: ['imagePullSecrets', { message: message({ 1: ['name', 'string'] }) }, 'repeated'],
      4: ['automountServiceAccountToken', 'bool'],
    }),
  ],
  [
    'v1 DeleteOptions',
    message({
      1: ['gracePeriodSeconds', 'int'],
      2: ['preconditions', { message: preconditions }],
      3: ['orphanDependents', 'bool'],
      4: ['propagationPolicy', 'string'],
      5: ['dryRun', 'string', 'repeated'],
    }),
  ],
]);
