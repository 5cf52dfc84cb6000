/** Gauges of hosts and machines. */
import { isDeleting } from '../kube/client/kube-object.ts';
import { hostStates } from '../api/kinds/mac-host.ts';
import { auditedOf } from '../hosts/state/audit-facts.ts';
import { duplicateKinds, type Duplicate } from '../hosts/state/duplicates.ts';
import { checkedInvariants, findingsIn } from '../hosts/state/invariants.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../hosts/state/objects.ts';
import { rentOf, type Rent } from '../hosts/state/costs.ts';
import { fleetMetrics } from '../hosts/state/metric-definitions.ts';
import type { GaugeMetric, Metrics, Sample } from '../platform/metrics.ts';
import { BusyHosts, oldestIn, oldestTermination, oldestWipe } from './stuck-hosts.ts';

export interface FleetGauges {
  readonly zones: () => readonly string[];
  readonly hosts: () => readonly MacHostObject[];
  readonly machines: () => readonly MachineObject[];
  readonly stranded: () => number;
  readonly duplicates: () => readonly Pick<Duplicate, 'kind'>[];
  readonly listedAt: (zone: string) => number | undefined;
  /** Undefined on a replica that does not lead: its values would be counted twice. */
  readonly leadsSince: () => number | undefined;
  /** Euros a day by type of server. */
  readonly prices: ReadonlyMap<string, number>;
  readonly now: () => number;
}

export function measureFleet(metrics: Metrics, gauges: FleetGauges): void {
  const { hosts, stranded, duplicates } = gauges;
  const countOf = (state: string): number => hosts().filter(({ status }) => status?.state === state).length;
  for (const state of hostStates) metrics.gauge(fleetMetrics.hosts, { state }, () => countOf(state));
  metrics.gauge(fleetMetrics.stranded, {}, stranded);
  for (const kind of duplicateKinds)
    metrics.gauge(
      fleetMetrics.duplicates,
      { kind },
      () => duplicates().filter((one) => one.kind === kind).length,
    );
  measureAsLeader(metrics, gauges);
}

/** Each gauge walks over the hosts or machines at scrape time. */
function measureAsLeader(metrics: Metrics, gauges: FleetGauges): void {
  const { zones, hosts, machines, listedAt, leadsSince, prices, now } = gauges;
  const measure = <L extends string>(
    metric: GaugeMetric<L>,
    read: (since: number) => readonly Sample<L>[],
  ): void =>
    metrics.gauges(metric, () => {
      const since = leadsSince();
      return since === undefined ? [] : read(since);
    });
  measure(fleetMetrics.invariants, () => violations(hosts(), machines(), now()));
  const busy = new BusyHosts();
  const ages: readonly (readonly [GaugeMetric<never>, () => number])[] = [
    [fleetMetrics.oldestStranded, () => oldestIn(new Set(['Stranded']), hosts(), now())],
    [fleetMetrics.oldestWipe, () => oldestWipe(hosts(), now())],
    [fleetMetrics.oldestTermination, () => oldestTermination(hosts(), now())],
    [fleetMetrics.oldestBusy, () => busy.oldest(hosts(), now())],
  ];
  for (const [metric, read] of ages) measure(metric, () => [{ labels: {}, value: read() / 1000 }]);
  measure(fleetMetrics.waiting, () => waiting(machines()));
  measure(fleetMetrics.machinePhase, () => phases(machines()));
  measure(fleetMetrics.inventoryAge, (since) =>
    zones().map((zone) => ({ labels: { zone }, value: (now() - (listedAt(zone) ?? since)) / 1000 })),
  );
  const rent = (): Rent => rentOf(hosts().map(recordOf), prices);
  measure(fleetMetrics.euros, () => (prices.size === 0 ? [] : euros(rent())));
  measure(fleetMetrics.unpriced, () =>
    [...rent().unpriced].map(([type, value]) => ({ labels: { type }, value })),
  );
}

function violations(
  hosts: readonly MacHostObject[],
  machines: readonly MachineObject[],
  now: number,
): readonly Sample<'inv'>[] {
  const findings = findingsIn({ hosts: hosts.map(recordOf), machines: machines.map(auditedOf), now });
  return checkedInvariants.map((inv) => ({
    labels: { inv },
    value: findings.filter(({ id }) => id === inv).length,
  }));
}

function waiting(machines: readonly MachineObject[]): readonly Sample<'reason'>[] {
  const reasons = machines.flatMap((machine) => {
    const provisioned = machine.status?.conditions?.find(({ type }) => type === 'Provisioned');
    return isDeleting(machine) || provisioned?.status !== 'False' ? [] : [provisioned.reason ?? ''];
  });
  const counts = new Map(
    [...Map.groupBy(reasons, (reason) => reason)].map(([key, all]) => [key, all.length]),
  );
  // Always present for alerts: an absent series raises no alarm.
  return [...new Map([['NoAvailableHost', 0], ...counts])].map(([reason, value]) => ({
    labels: { reason },
    value,
  }));
}

/** One series per name, as older alerts expect: machines with one name in two namespaces show as one. */
function phases(
  machines: readonly MachineObject[],
): readonly Sample<'machine' | 'fleet' | 'phase' | 'failure_reason'>[] {
  const byName = new Map(machines.map((machine) => [machine.metadata.name, machine]));
  return [...byName].map(([machine, { spec, status }]) => ({
    labels: {
      machine,
      fleet: spec?.fleetName ?? '',
      phase: status?.phase || 'Pending',
      failure_reason: failureOf(status),
    },
    value: 1,
  }));
}

/** The failure reason of older versions, or the reason why the machine has no host. */
function failureOf(status: MachineObject['status']): string {
  const said = status?.failureReason ?? '';
  if (said !== '' || status?.phase !== 'Failed') return said;
  return status.conditions?.find(({ type }) => type === 'Provisioned')?.reason ?? '';
}

function euros({ idle, stranded, total }: Rent): readonly Sample<'use'>[] {
  return Object.entries({ idle, stranded, total }).map(([use, value]) => ({ labels: { use }, value }));
}
