/** Explains the progress of a machine. */
import {
  candidatesFor,
  countIneligible,
  namedServers,
  namedServersText,
  ownServer,
} from '../../hosts/state/candidates.ts';
import { recordOf } from '../../hosts/state/objects.ts';
import { duplicatesOfMachine } from './duplicate-facts.ts';
import { sinceText } from './ages.ts';
import { shortId } from './find-object.ts';
import {
  conditionOf,
  hasFinalizer,
  isDeleting,
  isPaused,
  machineName,
  type FleetMachine,
} from './fleet-objects.ts';
import { hostOfMachine, prefixFaultOf, requirementsOf, type Fleet } from './fleet-state.ts';
import { evaluatedHost } from './host-evaluation.ts';
import { whyNot } from './machines.ts';
import type { Fact, Explanation } from './explanation.ts';
import { meaningOf, ineligibilityLines } from './phrases.ts';

export function whyMachine(machine: FleetMachine, fleet: Fleet): Explanation {
  const { metadata, spec, status } = machine;
  const reason = whyNot(machine);
  const refused = refusedHosts(machine, fleet);
  return {
    title: `machine ${machineName(machine)} (uid ${metadata.uid})`,
    facts: [
      ['phase', status.phase ?? 'none yet'],
      [
        'reason',
        reason === undefined
          ? 'nothing keeps the machine from being ready'
          : `${reason}: ${meaningOf(reason)}`,
      ],
      ...conditionFacts(machine, fleet.now),
      ...hostFacts(machine, fleet),
      ...duplicatesOfMachine(metadata.uid, fleet),
      ...refused.facts,
      ...personFacts(machine, fleet.now),
    ],
    json: {
      kind: 'machine',
      namespace: metadata.namespace,
      name: metadata.name,
      spec,
      status,
      reason,
      isPaused: isPaused(machine),
      deletingSince: metadata.deletionTimestamp,
      refused: refused.counts,
    },
  };
}

function conditionFacts(machine: FleetMachine, now: number): readonly Fact[] {
  return ['Provisioned', 'Bootstrapped', 'Ready', 'Releasing', 'Stalled'].flatMap((type) => {
    const condition = conditionOf(machine, type);
    if (condition === undefined) return [];
    const { status, reason, message, lastTransitionTime } = condition;
    const why = [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
    const text = `${status} since ${sinceText(lastTransitionTime, now)}${why === '' ? '' : `, ${why}`}`;
    return [[type, text] as const];
  });
}

function hostFacts(machine: FleetMachine, fleet: Fleet): readonly Fact[] {
  const host = hostOfMachine(fleet, machine);
  const named = machine.status.serverID ?? '';
  if (host === undefined)
    return [['host', named === '' ? 'none' : `its status names ${named}, which has no MacHost`]];
  const { state, reason, words } = evaluatedHost(host, fleet);
  return [
    ['host', `${host.id}, ${state}${reason === state ? '' : ` (${reason})`}: ${words.wanted}; ${words.seen}`],
    ['changes when', `see: muster why host/${shortId(host.id)}`],
  ];
}

interface Refused {
  readonly facts: readonly Fact[];
  readonly counts?: Readonly<Record<string, number>>;
}

/** Only for a waiting machine. For other machines the rejected hosts mean nothing. */
function refusedHosts(machine: FleetMachine, fleet: Fleet): Refused {
  const isWaiting =
    (machine.status.serverID ?? '') === '' &&
    hostOfMachine(fleet, machine) === undefined &&
    !isDeleting(machine);
  if (!isWaiting) return { facts: [] };
  const named = ownNameText(machine, fleet);
  if (named !== undefined) return { facts: [['waits for', named]] };
  const fault = prefixFaultOf(machine, fleet);
  if (fault !== undefined) return { facts: [['waits for', `another pool prefix: ${fault}`]] };
  const requirements = requirementsOf(machine, fleet);
  if (requirements === undefined)
    return { facts: [['waits for', 'a pool prefix, its own or that of the manager']] };
  const counts = countIneligible(fleet.hosts, requirements);
  const free = candidatesFor(fleet.hosts, requirements);
  const wanted = `a free ${requirements.type} with ${requirements.os} in ${requirements.zone}, called ${requirements.poolPrefix}…`;
  const found = free.length === 0 ? 'there is none' : `${free.length} could be taken`;
  return {
    facts: [
      ['waits for', `${wanted}: ${found}`],
      ...ineligibilityLines(counts).map((line): Fact => ['refused', line]),
      ...(free.length === 0
        ? [['changes when', 'one of these becomes free, or a host is added'] as const]
        : []),
    ],
    counts: Object.fromEntries(counts),
  };
}

/** A machine takes no other host while a server has its name. */
function ownNameText(machine: FleetMachine, { hosts, view }: Fleet): string | undefined {
  const named = namedServers(hosts, machine, (host) => view.ownershipOf(recordOf(host)));
  if (named.length === 0) return undefined;
  const own = ownServer(named, machine);
  return own === undefined
    ? `its name: ${namedServersText(named, machine)}`
    : `host ${shortId(own.metadata.name)}, whose server has its name: the machine takes the host without a wipe`;
}

function personFacts(machine: FleetMachine, now: number): readonly Fact[] {
  const { deletionTimestamp, finalizers = [] } = machine.metadata;
  const held = finalizers.length === 0 ? 'no finalizer' : finalizers.join(', ');
  const guard = hasFinalizer(machine) ? '' : '; the finalizer of Muster is missing';
  return [
    ...(isPaused(machine) ? [['paused', 'an operator paused the machine'] as const] : []),
    ...(isDeleting(machine)
      ? [['deleted', `since ${sinceText(deletionTimestamp, now)}; held by ${held}${guard}`] as const]
      : []),
  ];
}
