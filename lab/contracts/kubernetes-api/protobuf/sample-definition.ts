/** A CustomResourceDefinition with as many fields as a server accepts. */

export const sampleDefinition = {
  metadata: { name: 'samples.example.com', labels: { team: 'ci' } },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: {
      plural: 'samples',
      singular: 'sample',
      kind: 'Sample',
      listKind: 'SampleList',
      shortNames: ['sm'],
    },
    conversion: { strategy: 'None' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning: 'use another',
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' },
        },
        additionalPrinterColumns: [{ name: 'Count', type: 'integer', jsonPath: '.spec.count', priority: 1 }],
        selectableFields: [{ jsonPath: '.spec.text' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['text'],
                properties: {
                  text: {
                    type: 'string',
                    default: 'x',
                    enum: ['x', 'y'],
                    maxLength: 5,
                    pattern: '^[a-z]$',
                  },
                  count: { type: 'integer', minimum: 0, maximum: 1.5e9, format: 'int32', nullable: true },
                  ratio: { type: 'number', multipleOf: 0.5, exclusiveMinimum: true, minimum: -1.25 },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  open: { type: 'object', additionalProperties: { type: 'string' } },
                  port: {
                    anyOf: [{ type: 'integer' }, { type: 'string' }],
                    'x-kubernetes-int-or-string': true,
                  },
                  items: {
                    type: 'array',
                    maxItems: 3,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' } },
                    },
                  },
                },
                'x-kubernetes-validations': [
                  { rule: 'self.count < 5', message: 'too many', fieldPath: '.count' },
                ],
              },
              status: { type: 'object', properties: { count: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};
