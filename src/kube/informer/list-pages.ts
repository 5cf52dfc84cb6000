/** How a complete state is asked for: as the beginning of a watch, or page by page where a server does not do that. */
import type { FleetError } from '../../platform/errors/fleet-error.ts';

/** A server may lag behind another for a moment; one that was restored from a copy is older for good. */
const oldListsMax = 3;

export class Listing {
  #streams = true;
  #newest = 0n;
  #oldLists = 0;

  get streams(): boolean {
    return this.#streams;
  }

  /** True when the failure was a refusal of the first way, and the second is tried from now on. */
  refused(error: FleetError): boolean {
    if (!this.#streams || error.kind !== 'rejected' || error.reason === 'Forbidden') return false;
    this.#streams = false;
    return true;
  }

  /** A revision that the server has shown. */
  saw(revision: string): void {
    const number = numberOf(revision);
    if (number > this.#newest) this.#newest = number;
  }

  /** Whether a list goes back in time, unless the server insists on it. */
  isTooOld(revision: string): boolean {
    const isOld = numberOf(revision) < this.#newest;
    this.#oldLists = isOld ? this.#oldLists + 1 : 0;
    if (isOld && this.#oldLists <= oldListsMax) return true;
    this.#newest = numberOf(revision);
    this.#oldLists = 0;
    return false;
  }
}

/** What is no number is older than anything: it cannot be compared, so nothing is concluded from it. */
function numberOf(revision: string): bigint {
  return /^\d{1,30}$/.test(revision) ? BigInt(revision) : 0n;
}
