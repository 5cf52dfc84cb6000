/** Raw answers of GitHub, before any check. */

/** An answer of any status. */
export interface Reply {
  readonly status: number;
  /** Parsed JSON, or the text if the body is not JSON. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What a request did, as far as a failure depends on it. */
export interface Question {
  /** For people: `register runner mac-1 for octo-org`. Holds no secret. */
  readonly doing: string;
  readonly isWrite: boolean;
}

/** There is no usable answer. `unsent`: the request was certainly not sent. */
export class LostReply extends Error {
  readonly certainty: 'unsent' | 'unknown' | 'unreadable';

  /** `why` must not quote credentials or the answer. */
  constructor(certainty: LostReply['certainty'], why: string) {
    super(why);
    this.name = 'LostReply';
    this.certainty = certainty;
  }
}
