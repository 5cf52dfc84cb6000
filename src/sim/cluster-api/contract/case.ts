/** A rule of Cluster API, with what proves it on any ground. */
import type { Stage } from './stage.ts';

export interface Case {
  readonly rule: string;
  readonly proves: (stage: Stage) => Promise<void>;
}
