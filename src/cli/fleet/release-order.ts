/**
 * The order to give a host up: who could object is asked first, from a fresh read. A living machine that has the host
 * cannot be overruled, only detached; lesser doubts can, with a reason, and then the evidence is kept with the order.
 */
import { cutMessage } from '../../runtime/controller/event-object.ts';
import { ageText, eurosText, stampOf } from './ages.ts';
import type { Proposal } from './carry-out.ts';
import type { Cluster } from './cluster.ts';
import { doubtsIn, evidenceLines, evidenceOf, ownersIn, type Evidence } from './evidence.ts';
import { hostResource, machineName, type FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { hostLine } from './host-change.ts';
import { judgedHost } from './judged-host.ts';
import { leaveEvent } from './leave-event.ts';
import type { ChangeOptions } from './options.ts';
import { choosePoolPrefix } from './pool-prefix.ts';

export interface ReleaseOptions extends ChangeOptions {
  readonly force?: true;
  readonly reason?: string;
  readonly poolPrefix?: string;
}

export interface Scene {
  readonly host: FleetHost;
  readonly fleet: Fleet;
  readonly cluster: Cluster;
}

interface Wish {
  readonly policy: 'pool' | 'terminate';
  readonly options: ReleaseOptions;
  /** To wipe to, where no machine says it. */
  readonly osFamily?: string | undefined;
  readonly warn: (text: string) => void;
}

export function proposeRelease(scene: Scene, wish: Wish): Proposal {
  const { host, fleet } = scene;
  const { policy, options } = wish;
  const evidence = evidenceOf(host, fleet);
  refuseUnderOwner(evidence);
  refuseUnlessPossible(host, fleet);
  const before = host.spec.release;
  if (before?.policy === policy)
    return { plan: [hostLine(host), `It is ordered already: ${policy}, by ${before.orderedBy}`] };
  const doubts = [...doubtsIn(evidence), ...doubtsAbout(host, fleet, policy)];
  if (doubts.length > 0 && options.force !== true)
    throw new Error(`${doubts.join('; ')}; if you know better: --force --reason TEXT`);
  const poolPrefix = policy === 'pool' ? choosePoolPrefix(options, evidence.byClaim) : undefined;
  const shown = options.force === true ? evidenceLines(host, evidence) : [];
  return {
    plan: [
      hostLine(host),
      ...(before === undefined ? [] : [`This replaces the order ${before.policy}, by ${before.orderedBy}.`]),
      poolPrefix === undefined
        ? 'End its rent. This cannot be undone.'
        : `Wipe it and offer it again as ${poolPrefix}…`,
      ...doubts.map((doubt) => `Overruled: ${doubt}`),
      ...shown.map((line) => `Evidence: ${line}`),
    ],
    notes: policy === 'terminate' ? costLines(host, fleet.now) : [],
    write: () =>
      order(scene, wish, { poolPrefix, osFamily: evidence.byClaim?.spec.os ?? wish.osFamily, shown }),
  };
}

function refuseUnderOwner(evidence: Evidence): void {
  const owners = ownersIn(evidence).map(machineName);
  if (owners.length === 0) return;
  throw new Error(
    `machine ${owners.join(', ')} has this host and is alive; delete the machine, or take the host from it: muster detach ${owners[0] ?? ''}`,
  );
}

function refuseUnlessPossible(host: FleetHost, fleet: Fleet): void {
  const { wanted, seen } = judgedHost(host, fleet);
  if (wanted === 'held')
    throw new Error(
      `it is kept aside: ${host.spec.hold?.reason ?? ''}; let it go first: muster unquarantine ${host.id}`,
    );
  if (seen === 'gone') throw new Error('the provider does not know it any more: there is nothing to give up');
  if (seen === 'scheduled') throw new Error('the provider ends its rent already');
}

/** A free host may be given back to the provider, but wiping it is work for nothing; a stranger's is neither's business. */
function doubtsAbout(host: FleetHost, fleet: Fleet, policy: Wish['policy']): readonly string[] {
  const { state, wanted } = judgedHost({ ...host, spec: { ...host.spec, release: undefined } }, fleet);
  if (state === 'Foreign')
    return ['it is called neither like a free host nor like one of ours, so it may be somebody else’s'];
  return wanted === 'free' && state === 'Pooled' && policy === 'pool' ? ['it is free already'] : [];
}

function costLines({ status }: FleetHost, now: number): readonly string[] {
  const { deletableAt, pricePerHourEuros } = status.observed ?? {};
  if (deletableAt === undefined) return ['When its minimum rent ends is not known.'];
  const leftMs = Date.parse(deletableAt) - now;
  if (leftMs <= 0) return [`Its minimum rent ended at ${deletableAt}: nothing more is paid.`];
  const hours = Math.ceil(leftMs / 3_600_000);
  const euros = pricePerHourEuros === undefined ? '' : `, up to €${eurosText(hours * pricePerHourEuros)}`;
  return [
    `Its minimum rent ends at ${deletableAt}: it is paid for another ${ageText(hours * 3_600_000)}${euros}, whatever you do.`,
  ];
}

interface Details {
  readonly poolPrefix: string | undefined;
  readonly osFamily: string | undefined;
  readonly shown: readonly string[];
}

async function order(
  { host, cluster }: Scene,
  { policy, options, warn }: Wish,
  details: Details,
): Promise<void> {
  const { poolPrefix, osFamily, shown } = details;
  const forced = shown.length === 0 ? '' : ` (forced; ${shown.join('; ')})`;
  const orderedBy = `person${options.reason === undefined ? '' : `: ${options.reason}`}${forced}`;
  const release = {
    policy,
    // A merge would leave what an earlier order said.
    poolPrefix: poolPrefix ?? null,
    osFamily: osFamily ?? null,
    machineUid: null,
    orderedBy,
    orderedAt: stampOf(cluster.now()),
  };
  await cluster.change(hostResource, host, { spec: { release } });
  const reason = policy === 'pool' ? 'Releasing' : 'Deleting';
  const message = cutMessage(`${policy} was ordered by a ${orderedBy}`);
  await leaveEvent(() => cluster.tell(hostResource, host, { type: 'Normal', reason, message }), {
    what: 'the order stands',
    warn,
  });
}
