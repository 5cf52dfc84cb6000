/** A statement about the world that a scenario wants to hold, and how it is checked. */
export interface Invariant {
  /** `S1`, or a word of the scenario. */
  readonly id: string;
  readonly says: string;
  /** After each event (cheap ones), now and then (those that look at everything), or once at the end. */
  readonly when: 'each' | 'often' | 'end';
  /** What is wrong, or undefined. */
  check(): string | undefined;
}

export interface Violation {
  readonly id: string;
  /** Since the start of the run. */
  readonly atMs: number;
  readonly message: string;
}

/** What the simulator itself demands of every scenario. */
export const ownInvariants: Readonly<Record<string, string>> = {
  budget: 'no more is asked of a service than its budget allows',
  convergence: 'once the faults have stopped, the world comes to the state that is wanted',
  deadlock: 'somebody who waits is waited for by an event',
  determinism: 'the same seed gives the same run',
  'end-state': 'the end is the same as without faults',
  failure: 'no process throws what nobody catches',
  growth: 'what is held does not grow in a long run',
  leak: 'no more is held at the end than without faults',
  secret: 'a secret is seen nowhere',
  stillness: 'once the world is as wanted, nothing is written any more',
};
