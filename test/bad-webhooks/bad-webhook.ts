/** A webhook that nobody should send, as data: how it differs from a good one, and what must come of it. */
import type { Job } from '../../src/dispatch/store/rows.ts';

export interface BadWebhook {
  readonly says: string;
  /** Instead of the good payload: merged into it field by field; null takes a field away, `Literal` stands for itself. */
  readonly change?: Change;
  /** Instead of any payload: exactly these bytes. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What the signature is made over, where that is not what is sent. */
  readonly signedBody?: string;
  readonly signedWith?: string;
  /** The right signature, written as no sender of ours does. */
  readonly respelled?: (signature: string) => string;
  /** Good webhooks that came before, by their action. */
  readonly before?: readonly string[];
  readonly status: number;
  /** What is counted for it; undefined: nothing is, for it did not get so far. */
  readonly outcome?: string;
  /** The job as it stands afterwards: `state`, or `state conclusion`; undefined: there is none. */
  readonly job?: string;
  /** What the job has to have then, beside its state. */
  readonly has?: Partial<Job>;
  /** Where the job has another id than the good one. */
  readonly jobId?: string;
}

export type Change = { readonly [field: string]: Change | Literal | string | number | boolean | null };

/** A value that is sent as it is written, such as a number with more digits than a number has. */
export class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const literal = (text: string): Literal => new Literal(text);
/** Null itself, where null means that the field is not there. */
export const nothing = literal('null');
