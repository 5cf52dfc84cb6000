/** The Lease object through which replicas agree on who leads. */
import type { KubeObject, Resource } from '../kube/kube-object.ts';

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number | null;
}

export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** Kubernetes wants six digits of a second here. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

export function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}
