import { expect, it } from 'vitest';
import { withDescriptions } from './descriptions.ts';

it('describes a built-in kind and its common fields, and keeps existing descriptions', () => {
  const properties = {
    kind: { type: 'string' },
    spec: { $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' },
    status: { type: 'object', description: 'own words' },
    data: { type: 'object' },
  };
  expect(withDescriptions('Pod', { type: 'object', properties })).toEqual({
    type: 'object',
    description: 'Containers that run together on one Node.',
    properties: {
      kind: { type: 'string', description: 'The name of the kind.' },
      spec: {
        allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
        description: 'What is wanted.',
      },
      status: { type: 'object', description: 'own words' },
      data: { type: 'object' },
    },
  });
  expect(withDescriptions('Pod', { description: 'mine' })).toEqual({ description: 'mine' });
  expect(withDescriptions('PodSpec', {})).toEqual({ description: 'The fields of PodSpec.' });
});
