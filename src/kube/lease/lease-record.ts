/** How replicas write down, in a Lease object, who leads. */
import type { Lease } from '../client/builtin-resources.ts';

/** Kubernetes wants six digits of a second here. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

export function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}
