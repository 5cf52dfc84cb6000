/** What came back from GitHub, before anybody has judged it. */

/** An answer of any status. */
export interface Reply {
  readonly status: number;
  /** Parsed, where it is JSON; else the text. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What was asked for, as far as it decides what a failure means. */
export interface Question {
  /** For people: `register runner mac-1 for octo-org`. Holds no secret. */
  readonly doing: string;
  readonly isWrite: boolean;
}

/** No answer that could be used. `unsent`: nothing was asked, for sure. */
export class LostReply extends Error {
  readonly certainty: 'unsent' | 'unknown' | 'unreadable';

  /** `why` holds no credentials and nothing of the answer. */
  constructor(certainty: LostReply['certainty'], why: string) {
    super(why);
    this.name = 'LostReply';
    this.certainty = certainty;
  }
}
