/** The rows of pools and jobs in the status of `muster up`. */
import { labels } from '../../../src/api/names/labels.ts';
import type { Pod } from '../../../src/kube/client/builtin-resources.ts';
import type { Job } from '../../clouds/github/records.ts';
import type { StatusRow } from '../../../src/cli/hosts/status-text.ts';

const podStates = ['starting', 'idle', 'at work', 'ended'] as const;
type PodState = (typeof podStates)[number];

export function jobRow(jobs: readonly Job[]): StatusRow {
  const count = (wanted: Job['status']): number => jobs.filter(({ status }) => status === wanted).length;
  const text = `${count('queued')} queued, ${count('in_progress')} running, ${count('completed')} done`;
  return { label: 'jobs', text };
}

export function poolRow(pools: readonly string[], all: readonly Pod[]): StatusRow {
  const text = pools.map((pool) => `${pool} ${poolText(all.filter((pod) => poolOf(pod) === pool))}`);
  return { label: 'pools', text: text.join(', ') };
}

function poolText(all: readonly Pod[]): string {
  const states = Map.groupBy(all, stateOf);
  const counts = podStates.flatMap((state) => {
    const count = states.get(state)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return counts.length === 0 ? '0' : `${all.length} (${counts.join(', ')})`;
}

/** Dispatch stamps a Pod before it assigns a job. A Linux Pod polls while it is Pending, in its init container. */
function stateOf({ metadata, status = {} }: Pod): PodState {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return 'ended';
  if (metadata.labels?.[labels.runnerPoolOwner.key] !== undefined) return 'at work';
  const hasPoller = (status.initContainerStatuses ?? []).some(({ state }) => state?.running !== undefined);
  return hasPoller || status.phase === 'Running' ? 'idle' : 'starting';
}

function poolOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[labels.runnerPool.key];
}
