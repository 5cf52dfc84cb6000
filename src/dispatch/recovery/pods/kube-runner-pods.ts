/** Runner Pods in Kubernetes, for the recovery. */
import { annotations } from '../../../api/names/annotations.ts';
import { labels } from '../../../api/names/labels.ts';
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import { pods, serviceAccounts, type Pod } from '../../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { PodRef } from '../../store/rows.ts';
import type { RunnerPods, SeenPod } from './runner-pods.ts';

const pageSize = 500;
const [owner, account] = [labels.runnerPoolOwner.key, labels.runnerAccount.key];
/** Label selectors have no OR, so stamped Pods take two lists. */
const selectors = { stamped: [owner, `${account},!${owner}`], all: [`${labels.runner.key}=true`] } as const;

export class KubeRunnerPods implements RunnerPods {
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async list(which: 'stamped' | 'all'): Promise<readonly SeenPod[]> {
    const seen = new Map<string, SeenPod>();
    for (const labelSelector of selectors[which])
      for (const pod of await this.#listBy(labelSelector)) seen.set(pod.uid, pod);
    return [...seen.values()];
  }

  async #listBy(labelSelector: string): Promise<readonly SeenPod[]> {
    const query = { namespace: this.#namespace, labelSelector, limit: pageSize };
    const all: Pod[] = [];
    let next = '';
    do {
      const page = await this.#client.listPage(pods, { ...query, ...(next !== '' && { continue: next }) });
      all.push(...page.items);
      next = page.continue;
    } while (next !== '');
    return all.map(seenPod);
  }

  async read({ name, uid }: PodRef): Promise<SeenPod | undefined> {
    const pod = await this.#client.find(pods, { namespace: this.#namespace, name });
    return pod?.metadata.uid === uid ? seenPod(pod) : undefined;
  }

  async remove({ name, uid, resourceVersion }: SeenPod): Promise<'deleted' | 'overtaken' | 'gone'> {
    const place = { namespace: this.#namespace, name };
    // Read the account before the delete: later another Pod with this name may have its own account.
    const serviceAccount = await this.#client.find(serviceAccounts, place);
    const outcome = await this.#delete(place, { uid, resourceVersion });
    if (outcome === 'overtaken' || serviceAccount?.metadata.labels?.[labels.runnerPool.key] === undefined)
      return outcome;
    try {
      await this.#client.delete(serviceAccounts, place, { uid: serviceAccount.metadata.uid });
    } catch (error) {
      if (!isFleetError(error, 'gone') && !isFleetError(error, 'conflict')) throw error;
    }
    return outcome;
  }

  async #delete(
    place: { readonly namespace: string; readonly name: string },
    seen: { readonly uid: string; readonly resourceVersion: string },
  ): Promise<'deleted' | 'overtaken' | 'gone'> {
    try {
      await this.#client.delete(pods, place, seen);
      return 'deleted';
    } catch (error) {
      if (isFleetError(error, 'gone')) return 'gone';
      if (isFleetError(error, 'conflict')) return 'overtaken';
      throw error;
    }
  }
}

function seenPod({ metadata, spec, status }: Pod): SeenPod {
  const phase = status?.phase;
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    ...marksOf(metadata),
    isTerminating: metadata.deletionTimestamp !== undefined,
    isTerminal: phase === 'Succeeded' || phase === 'Failed',
    isRunnerLive: hasPoller(spec) && hasRunnerBegun(status),
    hasRunnerEnded: runnerIn(status)?.state?.terminated !== undefined,
  };
}

function marksOf({ labels: marks = {}, annotations: notes = {} }: Pod['metadata']) {
  const label = (key: string): string => marks[key] ?? '';
  return {
    pool: label(labels.runnerPool.key),
    isStamped: label(owner) !== '' || label(account) !== '',
    stampedAt: timeIn(notes[annotations.stampedAt.key]),
    hasOurStamp: notes[annotations.stampedFor.key] !== undefined,
    isServed: notes[annotations.servedFor.key] !== undefined,
    accountId: label(account) || undefined,
  };
}

/** On a Mac the only container is the virtual machine, which runs with or without a job. */
function hasPoller(spec: Pod['spec']): boolean {
  return spec?.initContainers?.some(({ name }) => name === 'poller') === true;
}

/** A terminated poller has passed on its registration, so the runner starts next. */
function hasRunnerBegun(status: Pod['status']): boolean {
  const runner = runnerIn(status);
  const poller = status?.initContainerStatuses?.find(({ name }) => name === 'poller');
  return (
    runner?.started === true ||
    runner?.state?.running !== undefined ||
    [runner, poller].some((of) => (of?.state?.terminated ?? of?.lastState?.terminated) !== undefined)
  );
}

function runnerIn(status: Pod['status']) {
  return status?.containerStatuses?.find(({ name }) => name === 'runner');
}

function timeIn(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}
