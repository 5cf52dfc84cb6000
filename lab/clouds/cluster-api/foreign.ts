/**
 * Objects of providers. A reference names a group and a kind. The labels of the CRD name the versions of the kind for
 * each version of the contract; the CRD also gives the plural.
 */
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { KubeObject, Resource } from '../../../src/kube/client/kube-object.ts';
import type { Condition } from '../../../src/kube/reconciler/conditions.ts';
import type { Definition } from './crds.ts';
import type { Endpoint, Reference } from './kinds.ts';

/** The fields of the contract, in both versions. */
export interface Foreign extends KubeObject {
  readonly spec?: {
    readonly providerID?: string;
    readonly controlPlaneEndpoint?: Endpoint;
    readonly template?: { readonly spec?: object };
  };
  readonly status?: {
    readonly ready?: boolean;
    readonly initialized?: boolean;
    readonly externalManagedControlPlane?: boolean;
    readonly initialization?: {
      readonly provisioned?: boolean;
      readonly controlPlaneInitialized?: boolean;
    };
    readonly addresses?: readonly unknown[];
    readonly conditions?: readonly Condition[];
  };
}

export type Contract = 'v1beta1' | 'v1beta2';

export interface ForeignKind {
  readonly contract: Contract;
  readonly resource: Resource<Foreign>;
}

/** An object, and how to read it. */
export interface Found extends ForeignKind {
  readonly object: Foreign;
}

/** The later version of the contract counts where a kind has both; undefined where a kind has neither. */
export function kindOf({ metadata, spec }: Definition): ForeignKind | undefined {
  for (const contract of ['v1beta2', 'v1beta1'] as const) {
    // Several versions of a kind may be listed; the last is the latest.
    const version = metadata.labels?.[`cluster.x-k8s.io/${contract}`]?.split('_').at(-1);
    const { kind, plural } = spec.names;
    if (version !== undefined)
      return { contract, resource: { group: spec.group, version, kind, plural, namespaced: true } };
  }
  return undefined;
}

export type Resolve = (reference: Pick<Reference, 'apiGroup' | 'kind'>) => ForeignKind | undefined;

/** Reads past every cache; undefined where the object or its kind does not exist. */
export async function findForeign(
  client: KubeClient,
  resolve: Resolve,
  { reference, namespace }: { readonly reference: Reference | undefined; readonly namespace: string },
): Promise<Found | undefined> {
  const kind = reference === undefined ? undefined : resolve(reference);
  if (kind === undefined || reference === undefined) return undefined;
  const object = await client.find(kind.resource, { namespace, name: reference.name });
  return object === undefined ? undefined : { ...kind, object };
}

export function isProvisioned({ contract, object: { status } }: Found): boolean {
  return (contract === 'v1beta2' ? status?.initialization?.provisioned : status?.ready) === true;
}

export function isInitialized({ contract, object: { status } }: Found): boolean {
  const { initialization, initialized } = status ?? {};
  return (contract === 'v1beta2' ? initialization?.controlPlaneInitialized : initialized) === true;
}

/** The kind of the machines of a template. */
export function clonedKindOf(template: Reference): string {
  return template.kind.replace(/Template$/, '');
}
