/** A journal without persistence: `durable()` resolves at once. */
import type { Journal } from './journal.ts';

export const memoryJournal: Journal = {
  load: () => ({ revision: 0, objects: [] }),
  append: () => undefined,
  durable: () => Promise.resolve(),
  close: () => undefined,
};
