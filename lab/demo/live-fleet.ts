/** The live status that `muster up` shows of its own fleet. */
import type { KubeClient } from '../../src/kube/client/client.ts';
import { Cluster } from '../../src/cli/hosts/cluster.ts';
import { LiveStatus } from '../../src/cli/hosts/live-status.ts';
import type { Summary } from '../../src/cli/hosts/status-summary.ts';
import type { StatusRow } from '../../src/cli/hosts/status-text.ts';
import { readSummary } from '../../src/cli/hosts/status.ts';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';

export interface LiveFleet {
  readonly client: KubeClient;
  /** The rows of pools and jobs, if any. */
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
