/** A rule that every store keeps. */
import type { Stage } from './stage.ts';

export interface Rule {
  readonly rule: string;
  readonly proves: (stage: Stage) => Promise<void>;
}
