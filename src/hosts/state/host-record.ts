/** The part of a MacHost that decides, the types of its fields, and the name of its server. */
import type { MacHost } from '../../api/kinds/mac-host.ts';

export type HostSpec = NonNullable<MacHost['spec']>;
export type HostStatus = NonNullable<MacHost['status']>;
export type Claim = NonNullable<HostSpec['claim']>;
export type ReleaseOrder = NonNullable<HostSpec['release']>;

/** The part of a MacHost that decides. */
export interface HostRecord {
  readonly id: string;
  readonly spec: HostSpec;
  readonly status: HostStatus;
}

/** A word of ours among those of the provider: an inventory wrote it when the server was gone for good. */
export const goneStatus = 'gone';

/** What the server is called; empty where no inventory has shown it, or where the server is gone and its name free. */
export function serverNameOf({ status: { observed } }: Pick<HostRecord, 'status'>): string {
  return observed?.status === goneStatus ? '' : (observed?.name ?? '');
}
