/**
 * Which runner Pods there are, for a moment in which more tokens come than can be judged: a token that names no Pod of ours
 * must not wait before one that does. Pods are listed only then, and once in two seconds at the most, whatever comes.
 */
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { PodRef } from '../../store/rows.ts';

export interface KnownPodsPorts {
  readonly list: () => Promise<readonly PodRef[]>;
  readonly clock: Clock;
}

const listEveryMs = 2000;

export class KnownPods {
  readonly #ports: KnownPodsPorts;
  #uids: ReadonlySet<string> = new Set();
  #begunAt = -Infinity;
  #next: Promise<boolean> | undefined;

  constructor(ports: KnownPodsPorts) {
    this.#ports = ports;
  }

  /** True also where Pods cannot be listed: then nothing speaks against the Pod. */
  async has({ uid }: PodRef): Promise<boolean> {
    if (this.#uids.has(uid)) return true;
    const wasListed = await this.#listing();
    return !wasListed || this.#uids.has(uid);
  }

  /** A list that begins later than now; one that is under way may have missed the Pod. */
  #listing(): Promise<boolean> {
    const { clock } = this.#ports;
    this.#next ??= new Promise((resolve) => {
      const waitMs = Math.max(0, this.#begunAt + listEveryMs - clock.now());
      clock.after(waitMs, () => resolve(this.#list()));
    });
    return this.#next;
  }

  async #list(): Promise<boolean> {
    this.#next = undefined;
    this.#begunAt = this.#ports.clock.now();
    try {
      this.#uids = new Set((await this.#ports.list()).map(({ uid }) => uid));
      return true;
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      return false;
    }
  }
}
