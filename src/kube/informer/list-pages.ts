/** How to request the full state: as the beginning of a watch, or page by page on servers without streaming lists. */
import type { FleetError } from '../../platform/errors/fleet-error.ts';

/** A server may lag behind another for a moment. A server restored from a backup stays older. */
const oldListsMax = 3;

export class Listing {
  #streams = true;
  #newest = 0n;
  #oldLists = 0;

  get streams(): boolean {
    return this.#streams;
  }

  /** True if the server refused a streaming list, and pages are used from now on. */
  refused(error: FleetError): boolean {
    if (!this.#streams || error.kind !== 'rejected' || error.reason === 'Forbidden') return false;
    this.#streams = false;
    return true;
  }

  /** Records a revision that the server has sent. */
  saw(revision: string): void {
    const number = numberOf(revision);
    if (number > this.#newest) this.#newest = number;
  }

  /** Whether a list goes back in time; false once the server has repeated the older state often enough. */
  isTooOld(revision: string): boolean {
    const isOld = numberOf(revision) < this.#newest;
    this.#oldLists = isOld ? this.#oldLists + 1 : 0;
    if (isOld && this.#oldLists <= oldListsMax) return true;
    this.#newest = numberOf(revision);
    this.#oldLists = 0;
    return false;
  }
}

/** A revision that is not a number cannot be compared, so it counts as older than all others. */
function numberOf(revision: string): bigint {
  return /^\d{1,30}$/.test(revision) ? BigInt(revision) : 0n;
}
