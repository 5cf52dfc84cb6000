/** The format of a Lease object. */
import type { Lease } from '../client/builtin-resources.ts';

/** Kubernetes requires microseconds here. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

export function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}
