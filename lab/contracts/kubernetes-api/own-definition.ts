/** A CustomResourceDefinition that belongs to one case, which may change it freely. */
import type { Context } from './case.ts';
import type { Collection, Draft, Resource } from './collection.ts';
import { crdFor, object } from './crds.ts';
import { objectIn } from './kube-object.ts';
import { untilServed } from './until.ts';

/** A resource whose group is in no other case. */
export function ownResource({ suffix }: Pick<Context, 'suffix'>): Resource {
  return {
    group: `g${suffix}.muster.dev`,
    version: 'v1',
    plural: 'things',
    kind: 'Thing',
    scope: 'Namespaced',
  };
}

export function definitionName({ plural, group = '' }: Resource): string {
  return `${plural}.${group}`;
}

const sized = object({ spec: object({ size: { type: 'integer' } }) });

export function ownDefinition(resource: Resource, schema = sized): Draft {
  return crdFor(resource, [{ name: resource.version, schema }]);
}

/** Installs the definition, and returns its objects once they are served. */
export async function install(
  { crds, target, of }: Context,
  resource: Resource,
  definition: Draft = ownDefinition(resource),
): Promise<Collection> {
  objectIn(await crds.post(definition), 201);
  await untilServed(target, resource);
  return of(resource);
}
