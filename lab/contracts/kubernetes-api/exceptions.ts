/** Where a server is known to break a rule. The real one never does: where they differ, the rule is wrong. */
export interface Exception {
  readonly rule: string;
  /** The name of the target. */
  readonly target: string;
  readonly why: string;
}

export const exceptions: readonly Exception[] = [];
