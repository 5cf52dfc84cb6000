/** For a store that lives as long as its process: keeps nothing, and so never makes anyone wait. */
import type { Journal } from './journal.ts';

export const memoryJournal: Journal = {
  load: () => ({ revision: 0, objects: [] }),
  append: () => undefined,
  durable: () => Promise.resolve(),
  close: () => undefined,
};
