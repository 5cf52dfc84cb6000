/**
 * What a sweep would reclaim now, by the rules of the orphans controller, and why not the others. A command cannot
 * count inventories; instead it uses how long the manager has reported a host as stranded.
 */
import { plan, strandedIn, whyNot, type Observed } from '../../hosts/orphans/plan.ts';
import type { Proposal } from './confirm-and-apply.ts';
import { ageText } from './ages.ts';
import type { Cluster } from './cluster.ts';
import { shortId } from './find-object.ts';
import type { FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { proposeRelease } from './release-order.ts';

export interface SweepRules {
  readonly claimPrefix?: string;
  readonly defaultAdoptPoolPrefix?: string;
  readonly max: number;
  readonly olderThan: number;
}

export interface Swept {
  readonly host: FleetHost;
  /** Absent for a host that is not reclaimed. */
  readonly order?: Proposal;
  readonly why: string;
}

export interface SweepFacts {
  readonly fleet: Fleet;
  readonly cluster: Cluster;
  readonly warn: (text: string) => void;
}

/** More inventories than the controller requires. */
const enough = Number.MAX_SAFE_INTEGER;

export function sweepOf(context: SweepFacts, rules: SweepRules): readonly Swept[] {
  const { hosts, view, now } = context.fleet;
  const stranded = hosts.filter((host) => strandedIn({ hosts: [host], view, now }).length > 0);
  const evaluated = stranded.map((host) => ({ host, ...refusalOrOrder(host, context, rules) }));
  // The rules of the controller decide which of the eligible hosts come first, and how many.
  const willing = evaluated.filter(({ order }) => order !== undefined).map(({ host }) => host);
  const { actions } = plan(observedFrom(willing, context, rules));
  const taken = new Set(actions.map(({ host }) => host.metadata.uid));
  return evaluated.map((one): Swept => {
    const { host, order, why } = one;
    if (order === undefined || taken.has(host.metadata.uid)) return one;
    return { host, why: `${why}, but at most ${rules.max} are reclaimed at once` };
  });
}

function refusalOrOrder(host: FleetHost, context: SweepFacts, rules: SweepRules): Omit<Swept, 'host'> {
  const refusal =
    whyNot(host, observedFrom([host], context, rules)) ?? tooYoung(host, context.fleet.now, rules.olderThan);
  if (refusal !== undefined) return { why: refusal };
  const options = {
    timeout: 0,
    reason: 'sweep',
    ...(rules.defaultAdoptPoolPrefix !== undefined && { poolPrefix: rules.defaultAdoptPoolPrefix }),
  };
  const osFamily = host.status.observed?.os?.family;
  try {
    const order = proposeRelease(
      { ...context, host },
      { policy: 'pool', options, osFamily, warn: context.warn },
    );
    return { order, why: 'no machine speaks for it' };
  } catch (error) {
    // For example a machine of another namespace with the name of the server: an operator may release such a host.
    const why = error instanceof Error ? error.message : String(error);
    return { why: why.replace(': --force', `: muster release ${shortId(host.id)} --force`) };
  }
}

function tooYoung({ status }: FleetHost, now: number, olderThan: number): string | undefined {
  if (status.state !== 'Stranded' || status.since === undefined)
    return 'the manager has not reported it as stranded yet';
  const age = now - Date.parse(status.since);
  return age < olderThan
    ? `the manager has reported it as stranded for ${ageText(age)} only; ${ageText(olderThan)} are required`
    : undefined;
}

function observedFrom(hosts: readonly FleetHost[], { fleet }: SweepFacts, rules: SweepRules): Observed {
  const { view, now } = fleet;
  return {
    now,
    nextAt: now,
    hosts,
    view,
    seenStranded: new Map(hosts.map(({ id }) => [id, enough])),
    isReclaimDue: true,
    claimPrefix: rules.claimPrefix ?? '',
    poolPrefix: rules.defaultAdoptPoolPrefix ?? '',
    reclaimsMax: rules.max,
    reclaimedLately: 0,
  };
}
