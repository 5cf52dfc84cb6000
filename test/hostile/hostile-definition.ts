/** The kind that the hostile objects are of: with lists of each sort, and rules on items and on a whole list. */

const text = { type: 'string' };
const properties = {
  items: {
    type: 'array',
    items: { type: 'object', required: ['name'], properties: { name: text } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
  set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  ruled: {
    type: 'array',
    items: {
      type: 'object',
      properties: { n: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.n >= 0' }],
    },
  },
  counted: {
    type: 'array',
    // Without a limit the rule is over the budget of a definition.
    maxItems: 3000,
    items: { type: 'integer' },
    'x-kubernetes-validations': [{ rule: 'self.all(x, self.exists(y, y == x))' }],
  },
};

export const hostileDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'hostiles.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'hostiles', kind: 'Hostile' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
        },
      },
    ],
  },
};
