/** Runner Pods in Kubernetes. */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Clock } from '../../platform/clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { pods, type Pod } from '../../kube/client/builtin-resources.ts';
import type { Account, PodRef } from '../store/rows.ts';
import type { RunnerPodLabels, RunnerPod, Stamp, Stamped } from './runner-pod-labels.ts';

export interface RunnerPodLabelsPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
}

interface Marks {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

const noMarks: Marks = {
  labels: { [labels.runnerPoolOwner.key]: null, [labels.runnerAccount.key]: null },
  annotations: {
    [annotations.stampedAt.key]: null,
    [annotations.stampedFor.key]: null,
    [annotations.servedFor.key]: null,
  },
};
/** Retries after a conflict: the kubelet writes to the Pod too. */
const attempts = 5;

export class KubeRunnerPodLabels implements RunnerPodLabels {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #namespace: string;

  constructor({ client, clock, namespace }: RunnerPodLabelsPorts) {
    this.#client = client;
    this.#clock = clock;
    this.#namespace = namespace;
  }

  async read({ name, uid }: PodRef): Promise<RunnerPod | undefined> {
    const pod = await this.#client.find(pods, { namespace: this.#namespace, name });
    if (pod?.metadata.uid !== uid || isGoing(pod)) return undefined;
    return runnerPodOf(pod);
  }

  async stamp(seen: RunnerPod, stamp: Stamp): Promise<Stamped> {
    const mayReplace = new Set([undefined, seen.stampedFor, stamp.generation]);
    let pod: RunnerPod | undefined = seen;
    for (let attempt = 1; ; attempt += 1)
      try {
        // The Pod was read a whole poll ago. The precondition keeps a job from a Pod that is now being deleted.
        const stamped = await this.#write(pod, this.#marksOf(stamp), pod.resourceVersion);
        return stamped === undefined ? 'gone' : 'stamped';
      } catch (error) {
        if (attempt === attempts || !isFleetError(error, 'conflict')) throw error;
        pod = await this.read(seen);
        if (pod === undefined) return 'gone';
        if (!mayReplace.has(pod.stampedFor)) return 'overtaken';
      }
  }

  #marksOf({ owner, generation }: Stamp): Marks {
    return {
      labels: { [labels.runnerPoolOwner.key]: ownerLabel(owner), [labels.runnerAccount.key]: owner.id },
      annotations: {
        [annotations.stampedAt.key]: timeText(this.#clock.now()),
        [annotations.stampedFor.key]: generation,
      },
    };
  }

  async markServed({ name, uid }: PodRef, generation: string): Promise<Stamped> {
    const marks = { labels: {}, annotations: { [annotations.servedFor.key]: generation } };
    // No precondition: the mark must be written whatever else changed.
    const pod = await this.#write({ name, uid }, marks);
    if (pod === undefined || isGoing(pod)) return 'gone';
    // mutation: other-stamp-is-precondition-lost
    return runnerPodOf(pod).stampedFor === generation ? 'stamped' : 'overtaken';
  }

  async unstamp({ name, uid }: PodRef, generation: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1)
      try {
        const pod = await this.#client.find(pods, { namespace: this.#namespace, name });
        const isOurs = pod?.metadata.annotations?.[annotations.stampedFor.key] === generation;
        // mutation: read-stamp-after-conflict
        if (pod?.metadata.uid === uid && isOurs)
          await this.#write({ name, uid }, noMarks, pod.metadata.resourceVersion);
        return;
      } catch (error) {
        if (attempt === attempts || !isFleetError(error, 'conflict')) throw error;
      }
  }

  /** Returns undefined if the Pod is gone. The uid makes the API server refuse a later Pod of the same name. */
  async #write({ name, uid }: PodRef, marks: Marks, resourceVersion?: string): Promise<Pod | undefined> {
    // mutation: stamp-precondition
    const metadata = { uid, resourceVersion, ...marks };
    const place = { namespace: this.#namespace, name };
    try {
      return await this.#client.patch(pods, place, { merge: { metadata } });
    } catch (error) {
      if (isFleetError(error, 'gone')) return undefined;
      // The API server answers a mismatched uid with a conflict or a rejection.
      if (!isFleetError(error, 'conflict') && !isFleetError(error, 'rejected')) throw error;
      const now = await this.#client.find(pods, place);
      if (now?.metadata.uid === uid) throw error;
      return undefined;
    }
  }
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function runnerPodOf({ metadata, spec }: Pod): RunnerPod {
  const label = (key: string): string | undefined => metadata.labels?.[key] || undefined;
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    owner: label(labels.runnerPoolOwner.key),
    stampedFor: metadata.annotations?.[annotations.stampedFor.key],
    isServed: metadata.annotations?.[annotations.servedFor.key] !== undefined,
    image: spec?.containers[0]?.image ?? '',
    isDrained: label(labels.runnerOperatorDrain.key) === 'true',
    isDrainEligible: label(labels.drainEligible.key) === 'true',
  };
}

/** The login if it is a valid label value, as GitHub's logins are; else the id. */
function ownerLabel({ login, id }: Account): string {
  return /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(login) ? login : `account-${id}`;
}
