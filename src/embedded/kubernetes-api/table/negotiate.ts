/** The requested form of objects: full, as a table, or metadata only. */
import { StatusError } from '../status-error.ts';

export type Shape = 'object' | 'table' | 'metadata';

const plain = /^(\*\/\*|application\/(\*|json|yaml))$/;
const shapes: Readonly<Record<string, Shape>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/** The first supported form; default: full objects. */
export function shapeFor(accept: string): Shape {
  if (accept.trim() === '') return 'object';
  for (const requirements of accept.split(',')) {
    const [type = '', ...parameters] = requirements.split(';').map((part) => part.trim());
    const as = parameters.find((part) => part.startsWith('as='))?.slice('as='.length);
    if (!plain.test(type)) continue;
    if (as === undefined) return 'object';
    const shape = shapes[as];
    if (shape !== undefined && parameters.includes('g=meta.k8s.io') && parameters.includes('v=v1'))
      return shape;
  }
  throw new StatusError(
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml',
  );
}
