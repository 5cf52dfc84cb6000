/** A rule of Cluster API, with what proves it on any ground. */
import type { Fixture } from './harness.ts';

export interface Case {
  readonly rule: string;
  readonly proves: (fixture: Fixture) => Promise<void>;
}
