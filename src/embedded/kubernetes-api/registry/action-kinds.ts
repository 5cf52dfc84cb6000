/** The bodies of actions, which are posted to a subresource and never stored. */
import type { JsonSchema } from '../schema/structural-schema.ts';
import { builtin } from './builtin.ts';

const text: JsonSchema = { type: 'string' };
const anything: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const common = { apiVersion: text, kind: text, metadata: { type: 'object' } } as const;

function reference(...fields: readonly string[]): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, text])) };
}

export const tokenRequestKind = builtin({
  plural: 'tokenrequests',
  kind: 'TokenRequest',
  group: 'authentication.k8s.io',
  verbs: [],
  schema: {
    type: 'object',
    properties: {
      ...common,
      spec: {
        type: 'object',
        properties: {
          audiences: { type: 'array', items: text, nullable: true },
          expirationSeconds: { type: 'integer', nullable: true },
          boundObjectRef: { ...reference('kind', 'apiVersion', 'name', 'uid'), nullable: true },
        },
      },
      status: anything,
    },
  },
});

export const evictionKind = builtin({
  plural: 'evictions',
  kind: 'Eviction',
  group: 'policy',
  verbs: [],
  schema: { type: 'object', properties: { ...common, deleteOptions: { ...anything, nullable: true } } },
});

export const bindingKind = builtin({
  plural: 'bindings',
  kind: 'Binding',
  verbs: [],
  schema: {
    type: 'object',
    properties: {
      ...common,
      target: reference('kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'),
    },
  },
});
