/** Rules that a server is known to break. The real server never breaks a rule: where they differ, the rule is wrong. */
export interface Exception {
  readonly rule: string;
  /** The name of the target. */
  readonly target: string;
  readonly why: string;
}

export const exceptions: readonly Exception[] = [];
