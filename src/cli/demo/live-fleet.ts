/** The live status that `muster up` shows of its own fleet. */
import type { KubeClient } from '../../runtime/kube/client.ts';
import { Cluster } from '../fleet/cluster.ts';
import { LiveStatus } from '../fleet/live-status.ts';
import { readSummary } from '../fleet/status.ts';
import type { ProcessPorts } from '../process-ports.ts';

export function liveStatusOn(client: KubeClient, { clock, random, terminal }: ProcessPorts): LiveStatus {
  const cluster = new Cluster({ client, clock, random });
  return new LiveStatus({ clock, terminal, read: () => readSummary(cluster, {}), title: 'muster up' });
}
