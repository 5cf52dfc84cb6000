/** Answers of the provider's API before their classification. */

/** An answer of any status. */
export interface Reply {
  readonly status: number;
  /** Parsed JSON, or else the text. */
  readonly body: unknown;
  readonly contentType?: string | undefined;
  /** The raw header: seconds, a date, or nonsense. */
  readonly retryAfter?: string | undefined;
  /** The time by the provider's clock. */
  readonly date?: string | undefined;
}

/** No usable answer. `unsent`: the request was certainly not sent. */
export interface Lost {
  readonly certainty: 'unsent' | 'unknown' | 'unreadable';
  /** Contains no credentials and no part of the answer. */
  readonly why: string;
}

/** The properties of a request that decide what its answer means. */
export interface Question {
  /** For messages: `rename server 1b2c… in fr-par-1`. */
  readonly doing: string;
  readonly isWrite: boolean;
  /** `many` is a listing, for which a 404 does not mean `gone`. */
  readonly target: 'one' | 'many';
  readonly isDelete?: boolean;
  /** The request names an image, so the image may be what was not found. */
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
