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
