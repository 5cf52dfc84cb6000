/**
 * The CustomResourceDefinitions that the suite installs once. Every rule on schemas has a field of Widget for its
 * proof.
 */
import type { Draft, Resource } from './collection.ts';
import { resources } from './resources.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface CrdVersion {
  readonly name: string;
  readonly schema: Schema;
  readonly storage?: boolean;
  readonly served?: boolean;
  readonly extra?: Schema;
}

/** A CustomResourceDefinition that the API server accepts, for the names of the resource. */
export function crdFor(resource: Resource, versions: readonly CrdVersion[]): Draft {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource.plural}.${resource.group ?? ''}` },
    spec: {
      group: resource.group,
      scope: resource.scope,
      names: {
        plural: resource.plural,
        singular: resource.kind.toLowerCase(),
        kind: resource.kind,
        listKind: `${resource.kind}List`,
      },
      versions: versions.map(({ name, schema, storage = true, served = true, extra }) => ({
        name,
        served,
        storage,
        schema: { openAPIV3Schema: schema },
        ...extra,
      })),
    },
  };
}

export function object(properties: Schema, more: Schema = {}): Schema {
  return { type: 'object', properties, ...more };
}

const integer = { type: 'integer' };
const text = { type: 'string' };

const widgetSpec = object(
  {
    size: { ...integer, minimum: 1, maximum: 10 },
    replicas: { ...integer, default: 1 },
    mode: { ...text, enum: ['Slow', 'Fast'], default: 'Slow' },
    code: { ...text, pattern: '^[a-z]+$', maxLength: 8 },
    ratio: { type: 'number' },
    port: { 'x-kubernetes-int-or-string': true },
    when: { ...text, format: 'date-time' },
    note: { ...text, nullable: true },
    colour: { ...text, nullable: true, default: 'grey' },
    finish: { ...text, default: 'matt' },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: object({}) } },
    labels: { type: 'object', additionalProperties: text },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: object({ name: text, count: { ...integer, default: 1 }, note: text }, { required: ['name'] }),
    },
    steps: { type: 'array', items: text, maxItems: 3 },
    limits: object({ soft: { ...integer, default: 5 }, hard: integer }),
    budget: object({ soft: { ...integer, default: 7 } }, { default: {} }),
    choice: object({ left: text, right: text }, { oneOf: [{ required: ['left'] }, { required: ['right'] }] }),
    low: integer,
    high: integer,
    fixed: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
  },
  {
    required: ['size'],
    'x-kubernetes-validations': [
      { rule: '!has(self.low) || !has(self.high) || self.low <= self.high', fieldPath: '.low' },
    ],
  },
);

const widget = object(
  {
    spec: widgetSpec,
    status: object({ phase: text, ready: integer, selector: text, grown: integer }),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: '!has(self.spec) || !has(self.status) || !has(self.status.grown) || self.status.grown <= self.spec.size',
        fieldPath: '.status.grown',
      },
    ],
  },
);

const loose = object({ spec: object({ size: integer, note: text }), status: object({ phase: text }) });

const boltColumns = [
  { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
  { name: 'Note', type: 'string', jsonPath: '.spec.note', priority: 1 },
  { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

export const contractCrds: readonly Draft[] = [
  crdFor(resources.widgets, [
    {
      name: 'v1',
      schema: widget,
      extra: {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.ready',
            labelSelectorPath: '.status.selector',
          },
        },
        selectableFields: [{ jsonPath: '.spec.mode' }],
      },
    },
  ]),
  crdFor(resources.gadgets, [{ name: 'v1', schema: loose }]),
  crdFor(resources.zones, [{ name: 'v1', schema: loose }]),
  crdFor(resources.bolts, [
    { name: 'v1beta1', schema: loose, storage: false },
    { name: 'v1', schema: loose, extra: { additionalPrinterColumns: boltColumns } },
  ]),
];
