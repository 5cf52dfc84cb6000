/** The summary of a fleet: counts, waiting machines with reasons, hosts that need attention, and the leader. */
import { hostStates } from '../../api/kinds/mac-host.ts';
import { auditedOf } from '../../hosts/state/audit-facts.ts';
import { findingsIn, type Finding } from '../../hosts/state/invariants.ts';
import { isDeleting, machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import type { Leader } from './leader.ts';
import { whyNot } from './machines.ts';

interface Count {
  readonly name: string;
  readonly count: number;
}

/** An object that needs attention; `since` is absent where no time is recorded. */
export interface Concern {
  readonly name: string;
  readonly why: string;
  readonly since: string | undefined;
}

export interface Summary {
  readonly hosts: readonly Count[];
  readonly machines: readonly Count[];
  readonly waiting: readonly Concern[];
  readonly stranded: readonly Concern[];
  readonly broken: readonly Concern[];
  readonly quarantined: readonly Concern[];
  readonly leader: Leader;
  /** When a host last changed its state. Inventories without a change write nothing. */
  readonly lastChange: string | undefined;
  readonly findings: readonly Finding[];
}

export function summaryOf(fleet: Fleet, leader: Leader): Summary {
  const { hosts, machines, now } = fleet;
  const within = (state: string): readonly Concern[] =>
    hosts.filter(({ status }) => status.state === state).map(hostConcern);
  return {
    hosts: countsOf(hosts.map(({ status }) => status.state ?? 'new')).toSorted(byLife),
    machines: countsOf(machines.map(({ status }) => status.phase ?? 'new')),
    waiting: machines.flatMap(waitingConcern),
    stranded: within('Stranded'),
    broken: within('Broken'),
    quarantined: within('Quarantined'),
    leader,
    lastChange: hosts
      .map(({ status }) => status.since ?? '')
      .toSorted((one, other) => Date.parse(one) - Date.parse(other))
      .findLast((since) => since !== ''),
    findings: findingsIn({ hosts, machines: machines.map(auditedOf), now }),
  };
}

/** The problems that make the command exit with 1, because an operator must act. */
export function troublesIn({ stranded, broken, findings, leader }: Summary): readonly string[] {
  return [
    ...(findings.length === 0 ? [] : [`audit: ${findings.length} (muster audit)`]),
    ...(stranded.length === 0 ? [] : [`stranded hosts: ${stranded.length} (muster sweep)`]),
    ...(broken.length === 0 ? [] : [`broken hosts: ${broken.length} (muster why host/ID)`]),
    ...(leader.kind === 'none' ? [`no manager leads: ${leader.why}`] : []),
  ];
}

function countsOf(names: readonly string[]): readonly Count[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]) => ({ name, count: all.length }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** In the order of the life cycle of a host. */
function byLife(one: Count, other: Count): number {
  const place = ({ name }: Count): number => hostStates.findIndex((state) => state === name);
  return place(one) - place(other);
}

function hostConcern({ id, spec, status }: FleetHost): Concern {
  const { name } = status.observed ?? {};
  const reason = status.reason ?? '-';
  return {
    name: name === undefined ? id : `${id.slice(0, 8)} (${name})`,
    why: spec.hold?.reason ?? reason,
    since: spec.hold?.since ?? status.since,
  };
}

function waitingConcern(machine: FleetMachine): readonly Concern[] {
  const reason = isDeleting(machine) ? undefined : whyNot(machine);
  if (reason === undefined) return [];
  const condition = machine.status.conditions?.find((one) => one.reason === reason);
  const message = condition?.message ?? '';
  return [
    {
      name: machineName(machine),
      why: message === '' ? reason : `${reason}: ${message}`,
      since: condition?.lastTransitionTime ?? machine.metadata.creationTimestamp,
    },
  ];
}
