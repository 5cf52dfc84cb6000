/** Which free host a machine takes, and why it took none of the others. */
import { isPoolName } from '../api/host-names.ts';
import { seenOf, type HostRecord } from './host-situation.ts';
import { isOfFamily } from './os-families.ts';

export interface MachineWish {
  readonly zone: string;
  readonly type: string;
  /** A release family, or the name of an image, which is taken as its family. */
  readonly os: string;
  readonly poolPrefix: string;
}

export const refusals = {
  taken: 'a machine holds it',
  used: 'its disk was used and not wiped yet',
  leaving: 'it is being given up',
  held: 'a person keeps it aside',
  scheduled: 'its rent ends',
  name: 'it is not called like a free host of this pool',
  notReady: 'it is not ready',
  zone: 'it is in another zone',
  type: 'it is of another type',
  os: 'it has another macOS',
} as const;
export type Refusal = keyof typeof refusals;

/** Undefined when the machine may take it. What says most about a host comes first. */
export function refusalOf({ spec, status, id }: HostRecord, wish: MachineWish): Refusal | undefined {
  const { observed } = status;
  const name = observed?.name ?? '';
  if (observed?.zone !== wish.zone) return 'zone';
  if (spec.hold !== undefined) return 'held';
  if (spec.claim !== undefined) return 'taken';
  if (spec.release !== undefined) return 'leaving';
  if (!isPoolName(name, wish.poolPrefix)) return 'name';
  if (spec.used === true) return 'used';
  if (observed.deletionScheduled === true) return 'scheduled';
  if (observed.type !== wish.type) return 'type';
  if (!isOfFamily(observed.os, wish.os)) return 'os';
  return seenOf({ id, spec, status }) === 'ready' ? undefined : 'notReady';
}

/** In an order that does not change between two looks: by id, so that two readers of one list agree. */
export function candidatesFor(hosts: readonly HostRecord[], wish: MachineWish): readonly HostRecord[] {
  return hosts
    .filter((host) => refusalOf(host, wish) === undefined)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** How many hosts of the zone were refused, by reason: the answer to "why is there none?". */
export function countRefusals(hosts: readonly HostRecord[], wish: MachineWish): ReadonlyMap<Refusal, number> {
  const counts = new Map<Refusal, number>();
  for (const host of hosts) {
    const refusal = refusalOf(host, wish);
    if (refusal !== undefined && refusal !== 'zone') counts.set(refusal, (counts.get(refusal) ?? 0) + 1);
  }
  return counts;
}
