/**
 * The event log of a story: one fact per line, in the language of scripts. A `when` or `never` that matches a fact runs
 * at the instant at which the fact becomes true.
 */
export interface Fact {
  /** Since the start of the story. */
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
  /** A common text for many facts of one minute, which are then printed as one line. */
  readonly kind?: string;
}

/** More equal facts than this in one minute are printed as one line. */
const alikeMax = 5;

export class Chronicle {
  readonly facts: Fact[] = [];
  readonly #names: ReadonlyMap<string, string>;
  readonly #now: () => number;
  readonly #listeners: ((fact: Fact) => void)[] = [];

  /** Each id is printed as its name; names may be added during the story. */
  constructor(names: ReadonlyMap<string, string>, now: () => number) {
    this.#names = names;
    this.#now = now;
  }

  report(who: string, what: string, kind?: string): void {
    const fact = { atMs: this.#now(), who, what: this.#named(what), ...(kind !== undefined && { kind }) };
    this.facts.push(fact);
    for (const listener of this.#listeners) listener(fact);
  }

  listen(listener: (fact: Fact) => void): void {
    this.#listeners.push(listener);
  }

  /** Counts the facts that match the text. */
  count(text: string): number {
    return this.facts.filter((fact) => says(fact, text)).length;
  }

  lines(): readonly string[] {
    const groupOf = ({ atMs, kind }: Fact): string => `${timeText(atMs)} ${kind}`;
    const alike = Map.groupBy(
      this.facts.filter(({ kind }) => kind !== undefined),
      groupOf,
    );
    return this.facts.flatMap((fact) => {
      const { atMs, who, what, kind = '' } = fact;
      const group = alike.get(groupOf(fact)) ?? [];
      if (group.length > alikeMax && group[0] !== fact) return [];
      const text = group.length > alikeMax ? `${group.length} times: ${kind}` : what;
      return [`${timeText(atMs).padStart(10)}  ${who.padEnd(9)}  ${text}`];
    });
  }

  #named(text: string): string {
    return [...this.#names].reduce((reported, [id, name]) => reported.replaceAll(id, name), text);
  }
}

/** Matches whole words in sequence: `wipes mini-1` does not match `wipes mini-12`. */
export function says({ who, what }: Fact, text: string): boolean {
  const words = ` ${who} ${what} `.replaceAll(/[,;:]? /g, ' ');
  return words.includes(` ${text.replaceAll(/[,;:]? /g, ' ')} `);
}

/** Prints `13d 04:05`: minutes are enough for people, and seconds would change with every earlier request. */
export function timeText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const clock = `${String(hours).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  return days === 0 ? clock : `${days}d ${clock}`;
}
