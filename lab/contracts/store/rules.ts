/** A rule that every store follows. */
import type { Fixture } from './harness.ts';

export interface Rule {
  readonly rule: string;
  readonly proves: (fixture: Fixture) => Promise<void>;
}
