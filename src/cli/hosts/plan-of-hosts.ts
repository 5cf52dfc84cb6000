/** The plans about hosts: of each host, of stranded hosts, and of duplicates. */
import {
  findDuplicates,
  identityOf,
  plan as planDuplicates,
  type Action as Repair,
} from '../../hosts/duplicates/plan.ts';
import { actionTexts, plan as planHost } from '../../hosts/host/plan.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import { shortId } from './find-object.ts';
import { isDeleting, type FleetHost } from './fleet-objects.ts';
import { evaluatedHost } from './host-evaluation.ts';
import { nothing, rowOf, sectionOf, type PlanFacts, type Row, type Section } from './plan-rows.ts';
import { sweepOf } from './sweep-plan.ts';
import { goingText } from './phrases.ts';

export function hostSection(context: PlanFacts): Promise<Section> {
  const assumed = [
    'that the provider rejected none of these steps recently; a rejected step waits for its backoff',
  ];
  return sectionOf('host', { assumed }, () => inOrder(context).map((host) => hostRow(host, context)));
}

function hostRow(host: FleetHost, { fleet }: PlanFacts): Row {
  const { state, reason, words } = evaluatedHost(host, fleet);
  const [action] = planHost({ host, view: fleet.view, now: fleet.now }).actions;
  const going = isDeleting(host) ? ` Warning: ${goingText}.` : '';
  const why = `${state}${reason === state ? '' : `, ${reason}`}: ${words.wanted}; ${words.seen}. ${words.reason}${going}`;
  return rowOf(called(host), action === undefined ? nothing : actionTexts[action.kind], why);
}

const usualAge = 5 * 60_000;

export function sweepSection(context: PlanFacts): Promise<Section> {
  const { fleet, cluster, options } = context;
  const { claimPrefix = '', defaultAdoptPoolPrefix = '', reclaimsMax: max } = options;
  const names =
    claimPrefix === '' || defaultAdoptPoolPrefix === ''
      ? [
          'that the manager has no name prefixes; if it has, give --claim-prefix and --default-adopt-pool-prefix',
        ]
      : [];
  const assumed = [
    ...names,
    'that two inventories have listed a host as stranded, which only the manager counts, once the state is 5 minutes old',
    'that no host was reclaimed within the last --orphan-reclaim-interval; those count as well',
  ];
  const rules = { claimPrefix, defaultAdoptPoolPrefix, max, olderThan: usualAge };
  return sectionOf('sweep', { assumed }, () =>
    sweepOf({ fleet, cluster, warn: () => undefined }, rules).map(({ host, order, why }) =>
      rowOf(
        called(host),
        order === undefined ? nothing : `order its return to ${defaultAdoptPoolPrefix}`,
        `Stranded: ${why}`,
      ),
    ),
  );
}

/** Longer than the settling time of the duplicates controller. */
const longAgo = Number.NEGATIVE_INFINITY;

export function duplicatesSection({ fleet, options }: PlanFacts): Promise<Section> {
  const assumed = ['that the manager has seen each duplicate for 20 seconds; a younger one is not repaired'];
  return sectionOf('duplicates', { assumed }, () => {
    const { hosts, machines, now } = fleet;
    const duplicates = findDuplicates(fleet);
    const since = new Map(duplicates.map((one) => [identityOf(one), longAgo]));
    const repairsMax = options.duplicateRepairsMax;
    const { actions, notes } = planDuplicates({ now, hosts, machines, duplicates, since, repairsMax });
    return notes.map(({ subject, reason, detail }) => {
      const repairs = actions.filter((repair) => isAbout(repair, subject)).map(repairText);
      const object = reason === 'SpareHost' ? `machine/${subject}` : `host/${shortId(subject)}`;
      return rowOf(object, repairs.length === 0 ? nothing : repairs.join('; '), `${reason}: ${detail}`);
    });
  });
}

function isAbout(repair: Repair, subject: string): boolean {
  return (repair.kind === 'unbind' ? repair.hostId : keyOf(repair.machine)) === subject;
}

function repairText({ kind, machine, hostId }: Repair): string {
  return kind === 'unbind'
    ? `take host ${shortId(hostId)} off machine ${keyOf(machine)}, which names the host without its claim`
    : `drop its claim on host ${shortId(hostId)}`;
}

function inOrder({ fleet }: PlanFacts): readonly FleetHost[] {
  return fleet.hosts.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function called({ id, status }: FleetHost): string {
  const server = status.observed?.name;
  return `host/${shortId(id)}${server === undefined ? '' : ` (${server})`}`;
}
