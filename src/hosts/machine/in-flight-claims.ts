/**
 * What this process has last tried to claim for each machine. A write whose answer was lost may land later, when the machine
 * means another host by then: only who remembers it can keep the machine from holding two.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';

/** Longer than a server keeps a request. */
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

  /** Whether a machine may turn to this host; `holds` asks the server whether it has the one before. */
  async mayClaim(uid: string, hostId: string, holds: (hostId: string) => Promise<boolean>): Promise<boolean> {
    const last = this.#byMachine.get(uid);
    // mutation: remember-last-claim
    if (last === undefined || last.hostId === hostId) return true;
    return this.#now() >= last.unclearUntil && !(await holds(last.hostId));
  }

  /** Makes the claim, and remembers it; one that was refused did not happen. */
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
