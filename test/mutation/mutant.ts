/**
 * A mutant: one or more edits of the product that remove a safety rule. The story that was written for the rule must fail
 * on the mutant, for the reason that is given. Where one rule is backed by another, the mutant removes both.
 */

/** Names a place by its anchor, the comment `// mutation: ID` right before the code that is edited. */
interface At {
  readonly at: string;
}

/** How the statement or list element after the anchor changes; `code` replaces the part that the edit names. */
export type Edit = At &
  (
    | { readonly edit: 'delete' }
    | { readonly edit: 'condition' | 'return' | 'value' | 'replace'; readonly code: string }
  );

export interface Mutant {
  /** The removed rule, in a few words. */
  readonly id: string;
  readonly edits: readonly Edit[];
  readonly story: string;
  /** The expectation or invariant that must fail, and words of its message. */
  readonly noticed: { readonly by: string; readonly message: string };
}
