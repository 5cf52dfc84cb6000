/** A statement that a scenario requires of the world, and how to check the statement. */
export interface Invariant {
  /** Such as `S1`, or a name that the scenario chooses. */
  readonly id: string;
  readonly says: string;
  /** After each event (cheap checks), from time to time (checks that read everything), or once at the end. */
  readonly when: 'each' | 'often' | 'end';
  /** Returns the violation as a sentence, or undefined. */
  check(): string | undefined;
}

export interface Violation {
  readonly id: string;
  /** Since the start of the run. */
  readonly atMs: number;
  readonly message: string;
}
