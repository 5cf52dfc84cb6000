/**
 * The fields of the built-in kinds, as far as the server looks into them. Below `anything` it does not look: those
 * parts are stored as they come, and a misspelt field in them is not noticed.
 */
import type { JsonSchema } from '../schema/structural-schema.ts';

const anything: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
const integer: JsonSchema = { type: 'integer' };
const textMap: JsonSchema = { type: 'object', additionalProperties: text };
/** Exactly six digits of a second. */
const microTime: JsonSchema = {
  type: 'string',
  nullable: true,
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[.]\\d{6}(Z|[+-]\\d{2}:\\d{2})$',
};
const anyList: JsonSchema = { type: 'array', items: anything };

function fields(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, ...properties },
  };
}

const time: JsonSchema = { type: 'string', nullable: true, format: 'date-time' };

/** What both forms of an Event call by the same name. */
const eventFields: Readonly<Record<string, JsonSchema>> = {
  reason: text,
  type: text,
  eventTime: microTime,
  series: anything,
  action: text,
  related: anything,
  reportingInstance: text,
};

export const schemas = {
  namespace: fields({
    spec: { type: 'object', properties: { finalizers: { type: 'array', items: text } } },
    status: { type: 'object', properties: { phase: text, conditions: anyList } },
  }),
  configMap: fields({ data: textMap, binaryData: textMap, immutable: flag }),
  secret: fields({ data: textMap, stringData: textMap, type: text, immutable: flag }),
  serviceAccount: fields({
    secrets: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: Object.fromEntries(
          ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((key) => [
            key,
            text,
          ]),
        ),
      },
    },
    imagePullSecrets: { type: 'array', items: { type: 'object', properties: { name: text } } },
    automountServiceAccountToken: flag,
  }),
  pod: fields({ spec: anything, status: anything }),
  node: fields({ spec: anything, status: anything }),
  event: fields({
    ...eventFields,
    involvedObject: anything,
    message: text,
    source: anything,
    firstTimestamp: time,
    lastTimestamp: time,
    count: integer,
    reportingComponent: text,
  }),
  newEvent: fields({
    ...eventFields,
    regarding: anything,
    note: text,
    deprecatedSource: anything,
    deprecatedFirstTimestamp: time,
    deprecatedLastTimestamp: time,
    deprecatedCount: integer,
    reportingController: text,
  }),
  lease: fields({
    spec: {
      type: 'object',
      properties: {
        holderIdentity: text,
        leaseDurationSeconds: integer,
        acquireTime: microTime,
        renewTime: microTime,
        leaseTransitions: integer,
        strategy: text,
        preferredHolder: text,
      },
    },
  }),
} satisfies Readonly<Record<string, JsonSchema>>;
