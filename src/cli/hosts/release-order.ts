/**
 * The order to release or terminate a host, checked on a fresh read. A live machine that has the host cannot be
 * overruled, only detached. Other doubts can be overruled with --force and a reason, and then the evidence is recorded
 * with the order.
 */
import type { ReleaseOrder } from '../../hosts/state/host-record.ts';
import { objectorsTo } from '../../hosts/state/ownership.ts';
import { cutMessage } from '../../kube/reconciler/event-object.ts';
import { ageText, eurosText, stampOf } from './ages.ts';
import type { Proposal } from './confirm-and-apply.ts';
import type { Cluster } from './cluster.ts';
import {
  doubtsIn,
  evidenceLines,
  evidenceOf,
  nameOf,
  overruledIn,
  ownersIn,
  type Evidence,
} from './evidence.ts';
import { hostResource, type FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { liftText } from './hold-lift.ts';
import { hostLine } from './host-change.ts';
import { evaluatedHost } from './host-evaluation.ts';
import { writeEvent } from './write-event.ts';
import type { ChangeOptions } from './options.ts';
import { choosePoolPrefix } from './pool-prefix.ts';

export interface ReleaseOptions extends ChangeOptions {
  readonly force?: true;
  readonly reason?: string;
  readonly poolPrefix?: string;
}

export interface DeletionFacts {
  readonly host: FleetHost;
  readonly fleet: Fleet;
  readonly cluster: Cluster;
}

interface Requirements {
  readonly policy: 'pool' | 'terminate';
  readonly options: ReleaseOptions;
  /** The macOS family to install where no machine names one. */
  readonly osFamily?: string | undefined;
  readonly warn: (text: string) => void;
}

export function proposeRelease(context: DeletionFacts, requirements: Requirements): Proposal {
  const { host, fleet } = context;
  const { policy, options } = requirements;
  const evidence = evidenceOf(host, fleet);
  refuseUnderHold(host, fleet);
  refuseUnderOwner(evidence);
  refuseUnlessPossible(host, fleet);
  const before = host.spec.release;
  if (before?.policy === policy && isStanding(before, host, fleet))
    return { plan: [hostLine(host), `This is ordered already: ${policy}, by ${before.orderedBy}`] };
  const doubts = [...doubtsIn(evidence), ...doubtsAbout(host, fleet, policy)];
  refuseUnlessForced(doubts, options);
  const poolPrefix = policy === 'pool' ? choosePoolPrefix(options, evidence.byClaim) : undefined;
  const shown = options.force === true ? evidenceLines(host, evidence) : [];
  return {
    plan: [
      hostLine(host),
      ...(before === undefined ? [] : [`This replaces the order ${before.policy}, by ${before.orderedBy}.`]),
      poolPrefix === undefined
        ? 'End its rent. This cannot be undone.'
        : `Wipe the host and offer it again as ${poolPrefix}…`,
      ...doubts.map((doubt) => `Overruled: ${doubt}`),
      ...shown.map((line) => `Evidence: ${line}`),
    ],
    notes: policy === 'terminate' ? costLines(host, fleet.now) : [],
    write: () =>
      order(context, requirements, {
        poolPrefix,
        osFamily: evidence.byClaim?.spec.os ?? requirements.osFamily,
        shown,
        overruled: overruledIn(evidence),
      }),
  };
}

function refuseUnderOwner(evidence: Evidence): void {
  const owners = ownersIn(evidence).map(nameOf);
  if (owners.length === 0) return;
  throw new Error(
    `machine ${owners.join(', ')} has this host and is alive; delete or detach the machine: muster detach ${owners[0] ?? ''}`,
  );
}

function refuseUnlessForced(doubts: readonly string[], { force }: ReleaseOptions): void {
  if (doubts.length === 0 || force === true) return;
  throw new Error(`${doubts.join('; ')}; to overrule: --force --reason TEXT`);
}

/** The manager drops an order that a machine objects to, so another order may replace it. */
function isStanding(release: ReleaseOrder, host: FleetHost, { view }: Fleet): boolean {
  return objectorsTo(release, host, view.ownershipOf(host)).length === 0;
}

function refuseUnderHold(host: FleetHost, fleet: Fleet): void {
  const { hold } = host.spec;
  if (hold === undefined) return;
  throw new Error(`the host is on hold: ${hold.reason}; lift the hold first: ${liftText(host, fleet)}`);
}

function refuseUnlessPossible(host: FleetHost, fleet: Fleet): void {
  const { seen } = evaluatedHost(host, fleet);
  if (seen === 'gone') throw new Error('the provider no longer lists the host: there is nothing to release');
  if (seen === 'scheduled') throw new Error('the provider already ends the rent of the host');
}

/** A free host may be terminated, but a wipe would be useless. A foreign host may belong to another cluster. */
function doubtsAbout(host: FleetHost, fleet: Fleet, policy: Requirements['policy']): readonly string[] {
  const { state, reason, wanted } = evaluatedHost(
    { ...host, spec: { ...host.spec, release: undefined } },
    fleet,
  );
  const { name = '' } = host.status.observed ?? {};
  if (reason === 'NamedByPerson') return [`a person named the server ${name}`];
  if (state === 'Foreign')
    return [
      'the server name matches neither the pool nor the claim prefix, so the host may belong to another cluster',
    ];
  if (state === 'Pending') return [`an adoption may be under way: the server is called ${name}`];
  return wanted === 'free' && state === 'Pooled' && policy === 'pool' ? ['the host is free already'] : [];
}

function costLines({ status }: FleetHost, now: number): readonly string[] {
  const { deletableAt, pricePerHourEuros } = status.observed ?? {};
  if (deletableAt === undefined) return ['The end of its minimum rent is not known.'];
  const leftMs = Date.parse(deletableAt) - now;
  if (leftMs <= 0) return [`Its minimum rent ended at ${deletableAt}: no more costs arise.`];
  const hours = Math.ceil(leftMs / 3_600_000);
  const euros = pricePerHourEuros === undefined ? '' : `, up to €${eurosText(hours * pricePerHourEuros)}`;
  return [
    `Its minimum rent ends at ${deletableAt}: its rent is charged for another ${ageText(hours * 3_600_000)}${euros} in any case.`,
  ];
}

interface Details {
  readonly poolPrefix: string | undefined;
  readonly osFamily: string | undefined;
  readonly shown: readonly string[];
  readonly overruled: ReturnType<typeof overruledIn>;
}

async function order(
  { host, cluster }: DeletionFacts,
  { policy, options, warn }: Requirements,
  details: Details,
): Promise<void> {
  const { poolPrefix, osFamily, shown, overruled } = details;
  const forced = shown.length === 0 ? '' : ` (forced; ${shown.join('; ')})`;
  const orderedBy = `person${options.reason === undefined ? '' : `: ${options.reason}`}${forced}`;
  const release = {
    policy,
    // A merge patch would keep the fields of an earlier order.
    poolPrefix: poolPrefix ?? null,
    osFamily: osFamily ?? null,
    machineUid: null,
    orderedBy,
    orderedAt: stampOf(cluster.now()),
    serverName: host.status.observed?.name ?? null,
    overrules: overruled.length > 0 ? overruled : null,
  };
  await cluster.change(hostResource, host, { spec: { release } });
  const reason = policy === 'pool' ? 'Releasing' : 'Deleting';
  const message = cutMessage(`${policy} was ordered by a ${orderedBy}`);
  await writeEvent(() => cluster.report(hostResource, host, { type: 'Normal', reason, message }), {
    what: 'the order is stored',
    warn,
  });
}
