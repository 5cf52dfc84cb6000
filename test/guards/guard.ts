/**
 * A guard of the product: a line without which something bad happens. It is taken out, and the story that was written for
 * it must fail, for the reason that is given. Where one line stands behind another, both are taken out.
 */
export interface Place {
  readonly file: string;
  /** Must occur once in the file. */
  readonly text: string;
  readonly without: string;
}

export interface Guard {
  /** What it says, in a few words. */
  readonly id: string;
  readonly places: readonly Place[];
  readonly story: string;
  /** Which expectation or invariant notices, and words of what it says. */
  readonly noticed: { readonly by: string; readonly saying: string };
}
