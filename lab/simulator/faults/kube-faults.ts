/** Passes the faults of the plan to the embedded API, one request at a time. */
import type { Verb } from '../../../src/embedded/kubernetes-api/verb.ts';
import type { Fault } from '../../../src/embedded/kubernetes-api/faults/fault.ts';
import type { Deed, Faults } from '../../../src/embedded/kubernetes-api/faults/faults.ts';
import type { Arrival } from '../engine/call.ts';
import type { EffectFaultKind, ServiceFault } from './effect-fault.ts';

const watchKinds: readonly ServiceFault['kind'][] = [
  'error',
  'watch-drop',
  'watch-expire',
  'watch-stall',
  'watch-duplicate',
  'watch-lag',
  'time-travel',
];

export class KubeFaults implements Faults {
  readonly changes = [];
  readonly #did: (kind: EffectFaultKind) => void;
  /** What to call when a fault took effect, keyed by the fault. */
  readonly #whenDone = new WeakMap<Fault, () => void>();
  /** How far behind the next list of a process is, after a time-travel fault. */
  readonly #travelled = new Map<string, number>();
  #decided: readonly Fault[] = [];

  constructor(did: (kind: EffectFaultKind) => void) {
    this.#did = did;
  }

  static kindsFor(verb: Verb): readonly ServiceFault['kind'][] {
    if (verb === 'watch') return watchKinds;
    // A real server never serves a stale single object: it uses a quorum read.
    return verb === 'list' ? ['error', 'stale-read'] : ['error'];
  }

  /** The server asks synchronously, so no other request can come between. */
  during<T>(arrival: Arrival, handle: () => T): T {
    this.#decided = [...this.#lag(arrival), ...arrival.faults.map((fault) => this.#asApi(fault, arrival))];
    try {
      return handle();
    } finally {
      this.#decided = [];
    }
  }

  decide(): readonly Fault[] {
    return this.#decided;
  }

  did(deed: Deed): void {
    if ('fault' in deed) this.#whenDone.get(deed.fault)?.();
  }

  #asApi(fault: ServiceFault, arrival: Arrival): Fault {
    const made = apiFault(fault);
    this.#whenDone.set(made, () => {
      // This is half of the fault; it counts when the stale list was served.
      if (fault.kind === 'time-travel') this.#travelled.set(travellerOf(arrival), fault.byRevisions);
      else this.#did(fault.kind);
    });
    return made;
  }

  #lag(arrival: Arrival): readonly Fault[] {
    if (!arrival.effect.operation.startsWith('list ')) return [];
    const traveller = travellerOf(arrival);
    const byRevisions = this.#travelled.get(traveller);
    if (byRevisions === undefined) return [];
    this.#travelled.delete(traveller);
    const stale: Fault = { kind: 'stale-read', byRevisions };
    this.#whenDone.set(stale, () => this.#did('time-travel'));
    return [stale];
  }
}

/** The key of a process and the resource that it reads. */
function travellerOf({ caller, effect }: Arrival): string {
  return `${caller.process} ${effect.operation.split(' ').at(-1)}`;
}

/** A new object, by which the API reports which fault took effect. */
function apiFault(fault: ServiceFault): Fault {
  if (fault.kind === 'time-travel') return { kind: 'watch-expire', afterMs: fault.afterMs };
  if (fault.kind !== 'error') return { ...fault };
  return { ...fault, ...(fault.reason === 'TooManyRequests' && { retryAfterSeconds: 1 }) };
}
