/** The part of a MacHost on which decisions depend, the types of its fields, and the name of its server. */
import type { MacHost } from '../../api/kinds/mac-host.ts';

export type HostSpec = NonNullable<MacHost['spec']>;
export type HostStatus = NonNullable<MacHost['status']>;
export type Claim = NonNullable<HostSpec['claim']>;
export type ReleaseOrder = NonNullable<HostSpec['release']>;

/** The part of a MacHost on which decisions depend. */
export interface HostRecord {
  readonly id: string;
  readonly spec: HostSpec;
  readonly status: HostStatus;
}

/** Our own status value beside those of the provider: the inventory found that the server no longer exists. */
export const goneStatus = 'gone';

/** Empty while no inventory has shown the server, or when the server is gone and its name is free. */
export function serverNameOf({ status: { observed } }: Pick<HostRecord, 'status'>): string {
  return observed?.status === goneStatus ? '' : (observed?.name ?? '');
}
