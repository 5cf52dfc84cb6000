/**
 * The trace of a run: every event goes into one running hash, so that two runs can be compared by one number. The last
 * lines are kept as text for people.
 */
import { hashText, mixed, mixedWhole } from './hash.ts';

export interface TraceLine {
  /** Milliseconds since the start of the run. */
  readonly atMs: number;
  /** Such as `worker-a#2`, or a part of the world. */
  readonly who: string;
  readonly what: string;
  readonly outcome: string;
}

export interface TraceOptions {
  readonly startsAt: number;
  /** How many lines are kept; the hash covers all lines. */
  readonly linesMax: number;
  /** Called for each line. */
  readonly seen?: (line: TraceLine) => void;
}

export class Trace {
  readonly #options: TraceOptions;
  readonly #lines: TraceLine[] = [];
  #low = 1;
  #high = 2;

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  /** Sixteen digits; two hashes are equal exactly when all lines are equal. */
  get hash(): string {
    return [this.#high, this.#low].map((word) => word.toString(16).padStart(8, '0')).join('');
  }

  event(at: number, label: string): void {
    this.#take(at, hashText(label));
  }

  line(at: number, line: Omit<TraceLine, 'atMs'>): void {
    const made = { atMs: at - this.#options.startsAt, ...line };
    this.#take(at, hashText(line.outcome, hashText(line.what, hashText(line.who))));
    this.#lines.push(made);
    // Trims in batches: shifting for each line would move the whole array.
    if (this.#lines.length > 2 * this.#options.linesMax)
      this.#lines.splice(0, this.#lines.length - this.#options.linesMax);
    this.#options.seen?.(made);
  }

  /** The last lines as text. */
  timeline(linesMax: number = this.#options.linesMax): readonly string[] {
    return this.#lines.slice(-linesMax).map(asText);
  }

  #take(at: number, text: number): void {
    this.#low = mixed(mixedWhole(this.#low, at), text);
    this.#high = mixed(this.#high + text, this.#low);
  }
}

/** `   2h03m04.005s  worker-a#2   update configmaps#3   409` */
function asText({ atMs, who, what, outcome }: TraceLine): string {
  return [durationText(atMs).padStart(13), who.padEnd(14), what.padEnd(40), outcome].join('  ').trimEnd();
}

export function durationText(ms: number): string {
  const whole = Math.floor(ms);
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor(whole / 60_000) % 60;
  const seconds = ((whole % 60_000) / 1000).toFixed(3);
  if (hours > 0) return `${hours}h${String(minutes).padStart(2, '0')}m${seconds.padStart(6, '0')}s`;
  return minutes > 0 ? `${minutes}m${seconds.padStart(6, '0')}s` : `${seconds}s`;
}
