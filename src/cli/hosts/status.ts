/** `muster status`: show the fleet at a glance; exit with 1 when an operator must act. */
import type { ProcessPorts } from '../process-ports.ts';
import type { Cluster } from './cluster.ts';
import { onCluster } from './connect.ts';
import { readFleet, type Names } from './fleet-state.ts';
import { findLeader } from './leader.ts';
import { LiveStatus } from './live-status.ts';
import type { ReadOptions } from './options.ts';
import { summaryOf, troublesIn, type Summary } from './status-summary.ts';
import { statusLines } from './status-text.ts';

export interface StatusOptions extends ReadOptions {
  readonly watch?: true;
}

export function runStatus(options: StatusOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const { terminal } = ports;
    if (options.watch === true) return watch(() => readSummary(cluster, options), ports);
    const summary = await readSummary(cluster, options);
    const troubles = troublesIn(summary);
    terminal.out(
      options.json === true
        ? `${JSON.stringify({ ...summary, troubles }, null, 2)}\n`
        : statusLines(summary, cluster.now())
            .map((line) => `${line}\n`)
            .join(''),
    );
    if (troubles.length > 0) throw new Error(troubles.join('; '));
  });
}

export async function readSummary(cluster: Cluster, names: Names): Promise<Summary> {
  const fleet = await readFleet(cluster, names);
  return summaryOf(fleet, await findLeader(cluster));
}

async function watch(
  read: () => Promise<Summary>,
  { clock, terminal, stopped }: ProcessPorts,
): Promise<void> {
  const live = new LiveStatus({ clock, terminal, read, title: 'muster status' });
  live.start();
  try {
    await Promise.race([stopped, live.ended]);
  } finally {
    await live.stop();
  }
}
