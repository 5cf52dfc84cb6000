/** What the fleet looks like, for whoever draws curves and wakes people up. */
import { hostStates } from '../api/mac-host.ts';
import type { Duplicate } from '../fleet/duplicates.ts';
import type { MacHostObject } from '../fleet/objects.ts';
import { fleetMetrics } from '../runtime/metric-catalogue.ts';
import type { Metrics } from '../runtime/metrics.ts';

export interface FleetGauges {
  readonly zones: readonly string[];
  readonly hosts: () => readonly MacHostObject[];
  readonly stranded: () => number;
  readonly duplicates: () => readonly Pick<Duplicate, 'kind'>[];
  readonly listedAt: (zone: string) => number | undefined;
  readonly now: () => number;
}

export function measureFleet(
  metrics: Metrics,
  { zones, hosts, stranded, duplicates, listedAt, now }: FleetGauges,
): void {
  const countOf = (state: string): number => hosts().filter(({ status }) => status?.state === state).length;
  for (const state of hostStates) metrics.gauge(fleetMetrics.hosts, { state }, () => countOf(state));
  metrics.gauge(fleetMetrics.stranded, {}, stranded);
  for (const kind of ['SharedHost', 'SpareHost'] as const)
    metrics.gauge(
      fleetMetrics.duplicates,
      { kind },
      () => duplicates().filter((one) => one.kind === kind).length,
    );
  for (const zone of zones)
    metrics.gauge(fleetMetrics.inventoryAge, { zone }, () => {
      const at = listedAt(zone);
      return at === undefined ? 0 : (now() - at) / 1000;
    });
}
