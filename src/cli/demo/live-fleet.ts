/** The live status that `muster up` shows of its own fleet. */
import type { KubeClient } from '../../runtime/kube/client.ts';
import { Cluster } from '../fleet/cluster.ts';
import { LiveStatus } from '../fleet/live-status.ts';
import type { Summary } from '../fleet/status-summary.ts';
import type { StatusRow } from '../fleet/status-text.ts';
import { readSummary } from '../fleet/status.ts';
import type { ProcessPorts } from '../process-ports.ts';

export interface LiveFleet {
  readonly client: KubeClient;
  /** Of pools and jobs, where there are any. */
  readonly rows?: () => Promise<readonly StatusRow[]>;
}

export function liveStatusOn(
  { client, rows }: LiveFleet,
  { clock, random, terminal }: ProcessPorts,
): LiveStatus {
  const cluster = new Cluster({ client, clock, random });
  const read = (): Promise<Summary> => readSummary(cluster, {});
  return new LiveStatus({ clock, terminal, read, title: 'muster up', ...(rows !== undefined && { rows }) });
}
