/**
 * Guards of the product: lines without which something bad happens. Each is taken out in turn, and the story that was
 * written for it must fail, for the reason that is given here.
 */
export interface Guard {
  /** What it says, in a few words. */
  readonly id: string;
  readonly file: string;
  /** Must occur once in the file. */
  readonly text: string;
  readonly without: string;
  readonly story: string;
  /** Which expectation or invariant notices, and words of what it says. */
  readonly noticed: { readonly by: string; readonly saying: string };
}

export const guards: readonly Guard[] = [
  {
    id: 'a name of this cluster is ours',
    file: 'src/controllers/sweep/plan.ts',
    text: 'if (isClaimStyleName(name, claimPrefix) || isClaimPendingName(name)) return true;',
    without: 'if (isClaimPendingName(name)) return true;',
    story: 'fourteen-days',
    noticed: { by: 'expect', saying: 'host mini-1 is Pooled' },
  },
  {
    id: 'a claim of a machine that is gone is no claim',
    file: 'src/fleet/host-situation.ts',
    text: "return isLive(spec.claim, id) ? 'owned' : 'abandoned';",
    without: "return 'owned';",
    story: 'force-delete',
    noticed: { by: 'expect', saying: 'host mini-1 is Stranded' },
  },
  {
    id: 'a wipe counts only when it was seen to begin',
    file: 'src/fleet/wipe-progress.ts',
    text: "return now - Date.parse(wipe.askedAt) < wipeBeginsWithinMs ? 'asked' : 'lost';",
    without: "return 'completed';",
    story: 'wipe-answers-500',
    noticed: { by: 'S4', saying: 'files of' },
  },
];
