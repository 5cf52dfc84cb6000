/** A bad webhook, as data: its difference from a good one, and the required result. */
import type { Job } from '../../src/dispatch/store/rows.ts';

export interface BadWebhook {
  readonly says: string;
  /** Merged into the good payload field by field; null removes a field, `Literal` is sent verbatim. */
  readonly change?: Change;
  /** Sent instead of any payload: exactly these bytes. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The text under the signature, where it differs from the body. */
  readonly signedBody?: string;
  readonly signedWith?: string;
  /** The right signature, in an unusual spelling. */
  readonly respelled?: (signature: string) => string;
  /** Earlier good webhooks, by their action. */
  readonly before?: readonly string[];
  readonly status: number;
  /** The counted outcome; undefined where nothing is counted, because the request is refused earlier. */
  readonly outcome?: string;
  /** The job afterwards: `state`, or `state conclusion`; undefined: no job. */
  readonly job?: string;
  /** Further fields of the job. */
  readonly has?: Partial<Job>;
  /** Set where the job has another id than the good one. */
  readonly jobId?: string;
}

export type Change = { readonly [field: string]: Change | Literal | string | number | boolean | null };

/** A value that is sent verbatim, such as a number with more digits than a number holds. */
export class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const literal = (text: string): Literal => new Literal(text);
/** Null itself, since null removes a field. */
export const nothing = literal('null');
