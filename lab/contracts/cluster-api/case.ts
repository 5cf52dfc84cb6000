/** A rule of Cluster API, and its proof on any server. */
import type { Fixture } from './harness.ts';

export interface Case {
  readonly rule: string;
  readonly proves: (fixture: Fixture) => Promise<void>;
}
