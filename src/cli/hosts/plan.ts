/**
 * `muster plan`: what each controller would do now, by its own rules, and why not more. The command changes nothing.
 * Facts that only the running manager knows are listed, with the assumptions made instead.
 */
import type { ProcessPorts } from '../process-ports.ts';
import { onCluster } from './connect.ts';
import { readFleet } from './fleet-state.ts';
import { clusterSection, fleetKeySection, fleetSpreadSection, inventorySection } from './plan-of-clusters.ts';
import { duplicatesSection, hostSection, sweepSection } from './plan-of-hosts.ts';
import { machineSection } from './plan-of-machines.ts';
import { poolSection } from './plan-of-pools.ts';
import type { PlanOptions, PlanFacts, Section } from './plan-rows.ts';
import { printable, wrapped } from './table.ts';

const sections: readonly ((context: PlanFacts) => Promise<Section>)[] = [
  inventorySection,
  hostSection,
  machineSection,
  sweepSection,
  duplicatesSection,
  clusterSection,
  fleetKeySection,
  fleetSpreadSection,
  poolSection,
];

export function runPlan(options: PlanOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const fleet = await readFleet(cluster, options);
    const plan: Section[] = [];
    for (const section of sections) plan.push(await section({ fleet, cluster, options }));
    const { terminal } = ports;
    if (options.json === true) return terminal.out(`${JSON.stringify({ plan }, null, 2)}\n`);
    terminal.out(plan.map(textOf).join(''));
    const count = plan.flatMap(({ rows }) => rows).filter(({ isActive }) => isActive).length;
    terminal.out(
      `${count} ${count === 1 ? 'thing' : 'things'} would be done now; nothing was changed by this command\n`,
    );
  });
}

/** Rows with an action come first. */
function textOf({ controller, rows, unknown, assumed }: Section): string {
  const active = rows.filter(({ isActive }) => isActive);
  const others = rows.filter(({ isActive }) => !isActive);
  const lines = [...active, ...others].map(
    ({ object, does, why }) => `  ${printable(`${object}: ${does}`)}\n      ${wrapped(why, 6)}\n`,
  );
  const remarks = [
    ...assumed.map((text) => `assumed: ${text}`),
    ...unknown.map((text) => `not known here: ${text}`),
  ].map((text) => `  ${wrapped(text, 6)}\n`);
  return [`${controller}: ${active.length} of ${rows.length}\n`, ...lines, ...remarks].join('');
}
