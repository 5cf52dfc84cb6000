/** Which free host a machine takes, and why it took none of the others. */
import { isPoolName } from '../../api/names/host-names.ts';
import type { HostRecord } from './host-record.ts';
import { observedState } from './host-state.ts';
import { isOfFamily } from './os-families.ts';

export interface HostRequirements {
  readonly zone: string;
  readonly type: string;
  /** A release family, or the name of an image, which is taken as its family. */
  readonly os: string;
  readonly poolPrefix: string;
  /** Of the manager; a pending host that was never seen under a pool prefix goes by it. */
  readonly defaultPoolPrefix?: string;
  /** Hosts whose pending name belongs to no adoption any more, by id. */
  readonly ripePending?: ReadonlySet<string>;
}

/** An adoption that was cut off left the pending name; ten minutes unchanged, no adoption of any tool still runs. */
export const pendingRestMs = 10 * 60_000;

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

/** What says most about a host comes first. */
const checks: readonly (readonly [Refusal, (host: HostRecord, requirements: HostRequirements) => boolean])[] =
  [
    ['zone', ({ status }, { zone }) => status.observed?.zone !== zone],
    ['held', ({ spec }) => spec.hold !== undefined],
    // mutation: candidate-not-claimed
    ['taken', ({ spec }) => spec.claim !== undefined],
    ['leaving', ({ spec }) => spec.release !== undefined],
    // mutation: candidate-needs-pool-name
    ['name', (host, requirements) => !isPooled(host, requirements)],
    // mutation: candidate-not-used
    ['used', ({ spec }) => spec.used === true],
    // mutation: candidate-not-scheduled-for-deletion
    ['scheduled', ({ status }) => status.observed?.deletionScheduled === true],
    ['type', ({ status }, { type }) => status.observed?.type !== type],
    // mutation: candidate-of-os-family
    ['os', ({ status }, { os }) => !isOfFamily(status.observed?.os, os)],
    ['notReady', (host) => observedState(host) !== 'ready'],
  ];

function isPooled({ id, status }: HostRecord, requirements: HostRequirements): boolean {
  if (isPoolName(status.observed?.name ?? '', requirements.poolPrefix)) return true;
  const cameFrom = status.poolPrefix ?? requirements.defaultPoolPrefix;
  // mutation: old-pending-host-is-free
  return requirements.ripePending?.has(id) === true && cameFrom === requirements.poolPrefix;
}

/** Undefined when the machine may take it. */
export function refusalOf(host: HostRecord, requirements: HostRequirements): Refusal | undefined {
  return checks.find(([, refuses]) => refuses(host, requirements))?.[0];
}

/** In an order that does not change between two looks: by id, so that two readers of one list agree. */
export function candidatesFor(
  hosts: readonly HostRecord[],
  requirements: HostRequirements,
): readonly HostRecord[] {
  return hosts
    .filter((host) => refusalOf(host, requirements) === undefined)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** How many hosts of the zone were refused, by reason: the answer to "why is there none?". */
export function countRefusals(
  hosts: readonly HostRecord[],
  requirements: HostRequirements,
): ReadonlyMap<Refusal, number> {
  const counts = new Map<Refusal, number>();
  for (const host of hosts) {
    const refusal = refusalOf(host, requirements);
    if (refusal !== undefined && refusal !== 'zone') counts.set(refusal, (counts.get(refusal) ?? 0) + 1);
  }
  return counts;
}
