/**
 * Tracks whether an installation, or the App itself, has spent
 * half of its hourly requests, from the headers of each answer.
 */
import type { Reply } from './reply.ts';

export class Quota {
  readonly #halfSpent = new Set<string>();

  note(speaker: string, { headers }: Reply): void {
    const left = numberOf(headers['x-ratelimit-remaining']) ?? Infinity;
    const limit = numberOf(headers['x-ratelimit-limit']) ?? 0;
    if (left < limit / 2) this.#halfSpent.add(speaker);
    else this.#halfSpent.delete(speaker);
  }

  /** From the last answer; an answer without these headers comes from a server without a limit. */
  isHalfSpent(speaker: string): boolean {
    return this.#halfSpent.has(speaker);
  }
}

function numberOf(text = ''): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
