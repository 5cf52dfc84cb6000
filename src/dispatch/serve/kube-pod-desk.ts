/** Runner Pods in Kubernetes. */
import { annotations } from '../../api/annotations.ts';
import { labels } from '../../api/labels.ts';
import { isFleetError } from '../../errors/fleet-error.ts';
import { timeText } from '../../fleet/time-text.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';
import { pods, type Pod } from '../../runtime/kube/builtin-resources.ts';
import type { Account, PodRef } from '../store/rows.ts';
import type { PodDesk, RunnerPod } from './pod-desk.ts';

export interface PodDeskPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
}

interface Stamp {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

export class KubePodDesk implements PodDesk {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #namespace: string;

  constructor({ client, clock, namespace }: PodDeskPorts) {
    this.#client = client;
    this.#clock = clock;
    this.#namespace = namespace;
  }

  async read({ name, uid }: PodRef): Promise<RunnerPod | undefined> {
    const pod = await this.#client.find(pods, { namespace: this.#namespace, name });
    if (pod?.metadata.uid !== uid || pod.metadata.deletionTimestamp !== undefined) return undefined;
    return runnerPodOf(pod);
  }

  async stamp(pod: PodRef, owner: Account): Promise<'stamped' | 'gone'> {
    const isThere = await this.#write(pod, {
      labels: { [labels.runnerPoolOwner.key]: ownerLabel(owner), [labels.runnerAccount.key]: owner.id },
      annotations: { [annotations.stampedAt.key]: timeText(this.#clock.now()) },
    });
    return isThere ? 'stamped' : 'gone';
  }

  async unstamp(pod: PodRef, resourceVersion?: string): Promise<void> {
    const none = {
      labels: { [labels.runnerPoolOwner.key]: null, [labels.runnerAccount.key]: null },
      annotations: { [annotations.stampedAt.key]: null },
    };
    await this.#write(pod, none, resourceVersion);
  }

  /** False where the Pod is gone: the uid makes the server refuse when another one has its name. */
  async #write({ name, uid }: PodRef, stamp: Stamp, resourceVersion?: string): Promise<boolean> {
    const metadata = { uid, ...stamp, ...(resourceVersion !== undefined && { resourceVersion }) };
    const place = { namespace: this.#namespace, name };
    try {
      await this.#client.patch(pods, place, { merge: { metadata } });
      return true;
    } catch (error) {
      if (isFleetError(error, 'gone')) return false;
      if (!isFleetError(error, 'conflict')) throw error;
      const now = await this.#client.find(pods, place);
      if (now?.metadata.uid === uid) throw error;
      return false;
    }
  }
}

function runnerPodOf({ metadata, spec }: Pod): RunnerPod {
  const label = (key: string): string | undefined => metadata.labels?.[key] || undefined;
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    owner: label(labels.runnerPoolOwner.key),
    image: spec?.containers[0]?.image ?? '',
    isDrained: label(labels.runnerOperatorDrain.key) === 'true',
    isDrainEligible: label(labels.drainEligible.key) === 'true',
  };
}

/** The name of the account where it can be the value of a label, as those of GitHub can; else its id. */
function ownerLabel({ login, id }: Account): string {
  return /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(login) ? login : `account-${id}`;
}
