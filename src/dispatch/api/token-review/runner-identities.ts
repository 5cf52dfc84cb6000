/**
 * Identifies the polling Pod and its pool. The API server signed the token for that Pod. The pool comes from the label
 * of its ServiceAccount, which only the manager creates. A Pod and its ServiceAccount have the same name.
 *
 * Anyone may send made-up tokens. So the signature is checked against the published keys of the cluster before the API
 * server reviews a token. If the keys cannot be read, a token is reviewed only if it names a Pod of ours.
 *
 * A result is cached for a short while, under a hash of the token: Pods poll every few seconds.
 */
import { createHash } from 'node:crypto';
import { managerAudience } from '../../../api/names/audiences.ts';
import { labels } from '../../../api/names/labels.ts';
import type { Clock } from '../../../platform/clock.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { serviceAccounts, tokenReviews } from '../../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { PodRef } from '../../store/rows.ts';
import { KubeRunnerPods } from '../../recovery/pods/kube-runner-pods.ts';
import { KnownPods } from './known-pods.ts';
import { keysPath, PublishedKeys, type Proof } from './published-keys.ts';
import { TokenReviewQueue } from './token-review-queue.ts';
import { ownerIn, type TokenOwner } from './review-result.ts';
import { couldBeFor, podNamedBy } from './token-shape.ts';

/** The audience of tokens of runner Pods. */
export const runnerAudience = 'tuist-runners-dispatch';

export interface RunnerIdentity {
  readonly pool: string;
  readonly pod: PodRef;
}

export interface IdentityPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The namespace of the runner Pods. */
  readonly namespace: string;
}

/** Lifetime of a cached result: the token of a deleted Pod must not work for longer. */
const rememberMs = 10_000;
const rememberedMax = 10_000;
/** A start with a thousand runners fits, and is done long before the first runner gives up. */
const line = { atOnce: 50, waitingMax: 2000, knownMax: rememberedMax } as const;

/** The manager sends one request at a time, and few other callers exist. */
const callersLine = { atOnce: 10, waitingMax: 200, knownMax: 100 } as const;
/** Concurrent reviews of tokens that name one Pod. A Pod needs its current token and the next. */
const ofOnePodMax = 4;

interface Remembered {
  readonly identity: RunnerIdentity;
  readonly until: number;
}

export class RunnerIdentities {
  readonly #ports: IdentityPorts;
  readonly #remembered = new Map<string, Remembered>();
  readonly #line = new TokenReviewQueue(line);
  readonly #callers = new TokenReviewQueue(callersLine);
  readonly #keys: PublishedKeys;
  readonly #pods: KnownPods;
  /** How many tokens are under review, by the uid of the Pod that they name. */
  readonly #underReview = new Map<string, number>();

  constructor(ports: IdentityPorts) {
    this.#ports = ports;
    const { client, clock, namespace } = ports;
    this.#keys = new PublishedKeys({ read: async () => client.published(keysPath, 'jwks', true), clock });
    const pods = new KubeRunnerPods(client, namespace);
    this.#pods = new KnownPods({ list: async () => pods.list('all'), clock });
  }

  /** Undefined if the token is not that of one of our runner Pods. */
  async runner(token: string): Promise<RunnerIdentity | undefined> {
    const key = keyOf(token);
    const known = this.#remembered.get(key);
    if (known !== undefined && known.until > this.#ports.clock.now()) return known.identity;
    this.#remembered.delete(key);
    if (!couldBeFor(token, runnerAudience)) return undefined;
    const pod = podNamedBy(token, this.#ports.namespace);
    if (pod === undefined || (await this.#prove(token)) === 'forged') return undefined;
    const identity = await this.#reviewToken({ key, token, pod });
    if (identity !== undefined) this.#remember(key, identity);
    return identity;
  }

  /** Identifies a caller that is not a runner. */
  async caller(token: string): Promise<TokenOwner | undefined> {
    if (!couldBeFor(token, managerAudience) || (await this.#prove(token)) === 'forged') return undefined;
    return this.#callers.reviewToken(keyOf(token), async () => this.#review(token, managerAudience));
  }

  /** An unknown key may be published soon, so the caller should retry and not end. */
  async #prove(token: string): Promise<Exclude<Proof, 'unknown-key'>> {
    const proof = await this.#keys.prove(token);
    if (proof === 'unknown-key')
      throw new FleetError('unavailable', {
        reason: 'UnknownSigningKey',
        message: 'a token was signed with a key that the cluster does not publish',
      });
    return proof;
  }

  /** Limits reviews per named Pod: made-up tokens that name one Pod must not take the capacity of other Pods. */
  async #reviewToken({ key, token, pod }: Shown): Promise<RunnerIdentity | undefined> {
    const count = this.#underReview.get(pod.uid) ?? 0;
    if (count >= ofOnePodMax)
      throw new FleetError('unavailable', {
        reason: 'TooManyTokenReviews',
        message: `too many tokens that name ${pod.name} are waiting for a review`,
      });
    this.#underReview.set(pod.uid, count + 1);
    try {
      const mayWait = async (): Promise<boolean> => this.#pods.has(pod);
      return await this.#line.reviewToken(key, async () => this.#ask(token), mayWait);
    } finally {
      const left = (this.#underReview.get(pod.uid) ?? 1) - 1;
      if (left === 0) this.#underReview.delete(pod.uid);
      else this.#underReview.set(pod.uid, left);
    }
  }

  async #ask(token: string): Promise<RunnerIdentity | undefined> {
    const owner = await this.#review(token, runnerAudience);
    const { namespace } = this.#ports;
    if (owner?.pod === undefined || owner.namespace !== namespace) return undefined;
    if (owner.pod.name !== owner.serviceAccount) return undefined;
    const account = await this.#ports.client.find(serviceAccounts, { namespace, name: owner.serviceAccount });
    const pool = account?.metadata.labels?.[labels.runnerPool.key];
    return pool === undefined || pool === '' ? undefined : { pool, pod: owner.pod };
  }

  async #review(token: string, audience: string): Promise<TokenOwner | undefined> {
    const spec = { token, audiences: [audience] };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
    return ownerIn(await this.#ports.client.review(tokenReviews, body), audience);
  }

  #remember(key: string, identity: RunnerIdentity): void {
    // Evict the oldest entry.
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= rememberedMax && oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(key, { identity, until: this.#ports.clock.now() + rememberMs });
  }
}

interface Shown {
  readonly key: string;
  readonly token: string;
  readonly pod: PodRef;
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
