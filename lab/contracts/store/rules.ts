/** A rule that every store keeps. */
import type { Fixture } from './harness.ts';

export interface Rule {
  readonly rule: string;
  readonly proves: (fixture: Fixture) => Promise<void>;
}
