/**
 * The last claim that this process sent for each machine. A write whose answer was lost may arrive later, when the
 * machine already names another host. Only this memory keeps the machine from holding two.
 */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';

/** Longer than an API server keeps a request. */
const lateMs = 90_000;

interface LastClaim {
  readonly hostId: string;
  /** Until then the claim may still appear. */
  readonly unclearUntil: number;
}

export class InFlightClaims {
  readonly #now: () => number;
  readonly #byMachine = new Map<string, LastClaim>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Whether a machine may claim this host. `holds` reads from the API server whether the machine holds the earlier
   * host.
   */
  async mayClaim(uid: string, hostId: string, holds: (hostId: string) => Promise<boolean>): Promise<boolean> {
    const last = this.#byMachine.get(uid);
    // mutation: remember-last-claim
    if (last === undefined || last.hostId === hostId) return true;
    return this.#now() >= last.unclearUntil && !(await holds(last.hostId));
  }

  /** Sends the claim and remembers it. A claim that was refused did not happen. */
  async claim(uid: string, hostId: string, write: () => Promise<unknown>): Promise<void> {
    this.#byMachine.set(uid, { hostId, unclearUntil: this.#now() + lateMs });
    try {
      await write();
    } catch (error) {
      if (!isFleetError(error, 'unavailable')) this.#byMachine.delete(uid);
      throw error;
    }
    this.#byMachine.set(uid, { hostId, unclearUntil: 0 });
  }

  forget(uid: string): void {
    this.#byMachine.delete(uid);
  }
}
