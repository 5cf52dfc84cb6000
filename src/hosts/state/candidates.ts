/** Which free host a machine takes, and why it took none of the others. */
import { isPoolName } from '../../api/names/host-names.ts';
import type { HostRecord } from './host-record.ts';
import { observedState } from './host-state.ts';
import { isOfFamily } from './os-families.ts';

export interface HostRequirements {
  readonly zone: string;
  readonly type: string;
  /** A release family, or the name of an image, which counts as its family. */
  readonly os: string;
  readonly poolPrefix: string;
  /** The manager's default. It applies to a pending host that was never seen under a pool prefix. */
  readonly defaultPoolPrefix?: string;
  /** Ids of hosts whose pending name was left by an adoption that was cut off. */
  readonly ripePending?: ReadonlySet<string>;
}

/**
 * A cut-off adoption leaves the pending name. After ten minutes without a change, no adoption by any tool still runs.
 */
export const pendingRestMs = 10 * 60_000;

export const refusals = {
  taken: 'claimed by a machine',
  used: 'used and not wiped yet',
  leaving: 'being released',
  held: 'held by an operator',
  scheduled: 'its rent ends soon',
  name: 'not named like a free host of this pool',
  notReady: 'not ready',
  zone: 'in another zone',
  type: 'of another type',
  os: 'with another macOS',
} as const;
export type Refusal = keyof typeof refusals;

/** Ordered so that the most telling reason comes first. */
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

/** Undefined when the machine may take the host. */
export function refusalOf(host: HostRecord, requirements: HostRequirements): Refusal | undefined {
  return checks.find(([, refuses]) => refuses(host, requirements))?.[0];
}

/** Sorted by id, so that two readers of one list choose the same host. */
export function candidatesFor(
  hosts: readonly HostRecord[],
  requirements: HostRequirements,
): readonly HostRecord[] {
  return hosts
    .filter((host) => refusalOf(host, requirements) === undefined)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Counts the unfit hosts of the zone by reason, to explain why no host is free. */
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
