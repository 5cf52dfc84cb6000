/**
 * Who polls: which Pod, of which pool. The API server signed the token for that very Pod; the pool is what the label of its
 * ServiceAccount says, since only the manager makes those. A Pod and its ServiceAccount have one name.
 *
 * An answer is remembered for a short while, under a hash of the token: Pods ask every few seconds.
 */
import { createHash } from 'node:crypto';
import { labels } from '../../api/labels.ts';
import type { Clock } from '../../runtime/clock.ts';
import { serviceAccounts, tokenReviews } from '../../runtime/kube/builtin-resources.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';
import type { PodRef } from '../store/rows.ts';
import { ReviewLine } from './review-line.ts';
import { ownerIn, type TokenOwner } from './token-answer.ts';
import { couldBeFor } from './token-shape.ts';

/** What tokens of runner Pods are made for. */
export const runnerAudience = 'tuist-runners-dispatch';

export interface RunnerIdentity {
  readonly pool: string;
  readonly pod: PodRef;
}

export interface IdentityPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Where runner Pods are. */
  readonly namespace: string;
}

/** A Pod that is gone is no runner any more: its token must not open anything for longer than this. */
const rememberMs = 10_000;
const rememberedMax = 10_000;
/** A start with a thousand runners fits, and is over long before the first of them gives up. */
const line = { atOnce: 50, waitingMax: 2000, knownMax: rememberedMax } as const;

interface Remembered {
  readonly identity: RunnerIdentity;
  readonly until: number;
}

export class RunnerIdentities {
  readonly #ports: IdentityPorts;
  readonly #remembered = new Map<string, Remembered>();
  readonly #line = new ReviewLine(line);

  constructor(ports: IdentityPorts) {
    this.#ports = ports;
  }

  /** Undefined where the token is not that of a runner Pod of ours. */
  async runner(token: string): Promise<RunnerIdentity | undefined> {
    const key = keyOf(token);
    const known = this.#remembered.get(key);
    if (known !== undefined && known.until > this.#ports.clock.now()) return known.identity;
    this.#remembered.delete(key);
    if (!couldBeFor(token, runnerAudience)) return undefined;
    const identity = await this.#line.judge(key, async () => this.#ask(token));
    if (identity !== undefined) this.#remember(key, identity);
    return identity;
  }

  /** Whose token it is, for a caller that is no runner; any audience. */
  async caller(token: string): Promise<TokenOwner | undefined> {
    if (!couldBeFor(token, undefined)) return undefined;
    return this.#line.judge(keyOf(token), async () => this.#review(token, undefined));
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

  async #review(token: string, audience: string | undefined): Promise<TokenOwner | undefined> {
    const spec = { token, ...(audience !== undefined && { audiences: [audience] }) };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
    return ownerIn(await this.#ports.client.review(tokenReviews, body), audience);
  }

  #remember(key: string, identity: RunnerIdentity): void {
    // The oldest goes first; it was asked for longest ago.
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= rememberedMax && oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(key, { identity, until: this.#ports.clock.now() + rememberMs });
  }
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
