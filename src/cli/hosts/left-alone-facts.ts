/** Hosts that the manager does not touch because of their server name: a pending name, or a name that a person gave. */
import { isClaimPendingName } from '../../api/names/host-names.ts';
import { pendingRestMs } from '../../hosts/state/candidates.ts';
import { detachedWipe } from '../../hosts/state/wipe-progress.ts';
import { ageText, sinceText, stampOf } from './ages.ts';
import { nameOf } from './evidence.ts';
import type { FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import type { EvaluatedHost } from './host-evaluation.ts';
import { shortId } from './find-object.ts';
import type { Fact } from './explanation.ts';

export function leftAloneFacts(host: FleetHost, evaluated: EvaluatedHost, fleet: Fleet): readonly Fact[] {
  if (evaluated.state === 'Foreign') return foreignFacts(host, evaluated, fleet.now);
  const isUnowned = evaluated.state === 'Pending' || evaluated.state === 'Stranded';
  return isUnowned && isClaimPendingName(host.status.observed?.name ?? '') ? pendingFacts(host, fleet) : [];
}

function pendingFacts({ id, spec, status }: FleetHost, fleet: Fleet): readonly Fact[] {
  const { name = '' } = status.observed ?? {};
  const since = status.pendingName === name ? status.pendingSince : undefined;
  const age =
    since === undefined ? 'the manager has not recorded since when' : `for ${sinceText(since, fleet.now)}`;
  return [
    ['pending', `${age}: the name ${name} belongs to a running or an interrupted adoption`],
    [
      'given back',
      givenBackText(
        {
          id,
          isUsed: spec.used === true,
          isClaimed: spec.claim !== undefined,
          since,
          cameFrom: status.poolPrefix,
        },
        fleet,
      ),
    ],
  ];
}

interface Pending {
  readonly id: string;
  readonly isUsed: boolean;
  readonly isClaimed: boolean;
  readonly since: string | undefined;
  /** The last observed pool prefix of the server. */
  readonly cameFrom: string | undefined;
}

function givenBackText({ id, isUsed, isClaimed, since, cameFrom }: Pending, fleet: Fleet): string {
  const order = `muster release ${shortId(id)}`;
  if (isUsed || isClaimed) return `only after a wipe, since its disk was used: ${order}`;
  const pool =
    cameFrom === undefined ? `the default pool ${fleet.defaultPoolPrefix}` : `the pool ${cameFrom}`;
  const proof = 'once two inventories have shown it unchanged';
  if (since === undefined) return `to ${pool}… ten minutes after that, ${proof}`;
  const at = Date.parse(since) + pendingRestMs;
  if (at > fleet.now) return `to ${pool}… in ${ageText(at - fleet.now)} (at ${stampOf(at)}), ${proof}`;
  return `a machine of ${pool}… may take it now, ${proof}; to have it wiped first: ${order}`;
}

function foreignFacts(host: FleetHost, evaluated: EvaluatedHost, now: number): readonly Fact[] {
  const { spec } = host;
  const isTaken = evaluated.reason === 'NamedByPerson';
  if (!isTaken && spec.used !== true) return [];
  const id = shortId(host.id);
  return [
    ...(isTaken ? [['left undone', undoneText(host, now)] as const] : []),
    [
      'to keep it',
      `muster quarantine ${id} --reason TEXT, which also removes the host from the gauge of stranded hosts`,
    ],
    ['to give back', `muster release ${id} --force --reason TEXT, which wipes the host and offers it again`],
  ];
}

function undoneText({ spec, status }: FleetHost, now: number): string {
  const { claim, release, lastOwner } = spec;
  const owner = claim ?? lastOwner;
  const dropped = [
    ...(owner === undefined ? [] : [`the claim of ${nameOf(owner)}`]),
    ...(release === undefined ? [] : [`the order ${release.policy} by ${release.orderedBy}`]),
  ];
  const isWiping = detachedWipe({ spec: {}, status }, now) !== 'none';
  return [
    `a person named the server ${status.observed?.name ?? ''}: the host is not wiped, renamed or released`,
    ...(dropped.length === 0
      ? []
      : [`${dropped.join(' and ')} ${dropped.length === 1 ? 'does' : 'do'} not count any more`]),
    ...(isWiping ? ['a wipe that has started already is tracked to its end'] : []),
  ].join('; ');
}
