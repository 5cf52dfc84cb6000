/** A label, annotation or finalizer: its key, its objects, and its meaning. */
export interface VocabularyEntry {
  readonly key: string;
  /** Kinds of objects that have it. */
  readonly on: string;
  readonly meaning: string;
}
