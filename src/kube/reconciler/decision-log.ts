/** The latest notes of each controller by object, printed by `muster why`. */
import type { Note } from './plan.ts';

export interface WrittenNote extends Note {
  readonly controller: string;
  /** The key of the reconciled object. */
  readonly key: string;
  /** Since when the note has been the same. */
  readonly since: number;
}

export class DecisionLog {
  readonly #pages = new Map<string, readonly WrittenNote[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Replaces the notes of the key; an unchanged note keeps its time. */
  write(controller: string, key: string, notes: readonly Note[]): void {
    const page = `${controller} ${key}`;
    const before = this.#pages.get(page) ?? [];
    const written = notes.map((note) => {
      const same = before.find((one) => one.subject === note.subject && one.reason === note.reason);
      return { ...note, controller, key, since: same?.since ?? this.#now() };
    });
    if (written.length === 0) this.#pages.delete(page);
    else this.#pages.set(page, written);
  }

  /** All notes about a subject or for a key. */
  about(name: string): readonly WrittenNote[] {
    return this.all().filter(({ subject, key }) => subject === name || key === name);
  }

  all(): readonly WrittenNote[] {
    return [...this.#pages.values()].flat();
  }
}
