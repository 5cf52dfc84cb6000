/** One use of kubectl, with its expected output. */
import type { Client } from '../client.ts';
import type { Embedded } from '../embedded.ts';

export interface Fixture {
  /** In a namespace of its own. */
  readonly kubectl: Client;
  readonly namespace: string;
  readonly embedded: Embedded;
}

export interface Flow {
  readonly flow: string;
  run(fixture: Fixture): Promise<void>;
}

/** The cells of a table: at least two spaces separate them. */
export function cells(text: string): readonly (readonly string[])[] {
  return text.split('\n').map((line) => line.trim().split(/\s{2,}/));
}

/** Manifests in one file. */
export function documents(...objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

export function configMap(name: string, fields: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...fields };
}

/** A custom kind of the tests, with every feature of custom kinds. */
export function shelf(name: string, spec: object = {}, metadata: object = {}): object {
  return { apiVersion: 'flows.muster.dev/v1', kind: 'Shelf', metadata: { name, ...metadata }, spec };
}

const shelfSchema = {
  type: 'object',
  description: 'A shelf holds boxes.',
  properties: {
    spec: {
      type: 'object',
      properties: {
        boxes: { type: 'integer', minimum: 0, description: 'How many boxes it is to hold.' },
        colours: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { room: { type: 'string' }, height: { type: 'number' } } },
      },
    },
    status: {
      type: 'object',
      properties: {
        boxes: { type: 'integer' },
        conditions: {
          type: 'array',
          items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  },
};

export const shelfDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shelves.flows.muster.dev' },
  spec: {
    group: 'flows.muster.dev',
    scope: 'Namespaced',
    names: { kind: 'Shelf', plural: 'shelves', shortNames: ['sh'], categories: ['furniture'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: shelfSchema },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.boxes', statusReplicasPath: '.status.boxes' },
        },
        additionalPrinterColumns: [
          { name: 'Boxes', type: 'integer', jsonPath: '.spec.boxes' },
          { name: 'Room', type: 'string', jsonPath: '.spec.place.room', priority: 1 },
        ],
        selectableFields: [{ jsonPath: '.spec.place.room' }],
      },
    ],
  },
};
