/** One label, annotation or finalizer: its key, what carries it, and what it says. */
export interface VocabularyEntry {
  readonly key: string;
  /** Kinds of objects that carry it. */
  readonly on: string;
  readonly meaning: string;
}
