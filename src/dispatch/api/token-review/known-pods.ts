/**
 * Lists the current runner Pods, for times with more tokens than can be reviewed: a token that names no Pod of ours
 * must not delay a token that does. Pods are listed only then, and at most once in two seconds.
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

  /** Also true if the list fails: then nothing is known against the Pod. */
  async has({ uid }: PodRef): Promise<boolean> {
    if (this.#uids.has(uid)) return true;
    const wasListed = await this.#listing();
    return !wasListed || this.#uids.has(uid);
  }

  /** Waits for a list that begins after this call; a list under way may have missed the Pod. */
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
