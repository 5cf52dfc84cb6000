/** What came back from the API of the provider, before anybody has judged it. */

/** An answer of any status. */
export interface Reply {
  readonly status: number;
  /** Parsed, where it is JSON; else the text. */
  readonly body: unknown;
  readonly contentType?: string | undefined;
  /** As it stands in the header: seconds, a date, or nonsense. */
  readonly retryAfter?: string | undefined;
  /** What time the provider believes it is. */
  readonly date?: string | undefined;
}

/** No answer that could be used. `unsent`: nothing was asked, for sure. */
export interface Lost {
  readonly certainty: 'unsent' | 'unknown' | 'unreadable';
  /** Holds no credentials and nothing of the answer. */
  readonly why: string;
}

/** What was asked for, as far as it decides what an answer means. */
export interface Question {
  /** For people: `rename server 1b2c… in fr-par-1`. */
  readonly doing: string;
  readonly isWrite: boolean;
  /** `many` is a listing, for which a 404 cannot mean that it is gone. */
  readonly target: 'one' | 'many';
  readonly isDelete?: boolean;
  /** It names an image, so what is not found may be that. */
  readonly namesImage?: boolean;
}

/** Thrown through the official client, which would otherwise lose the headers. */
export class BadReply extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`status ${reply.status}`);
    this.name = 'BadReply';
    this.reply = reply;
  }
}

export class LostReply extends Error {
  readonly lost: Lost;

  constructor(lost: Lost, cause?: unknown) {
    super(lost.why, cause === undefined ? {} : { cause });
    this.name = 'LostReply';
    this.lost = lost;
  }
}
