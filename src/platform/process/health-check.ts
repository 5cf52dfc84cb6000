/** Named questions about the state of the process, asked by whoever probes it. */
export interface Check {
  /** One word, such as `caches`; it stands in the answer. */
  readonly name: string;
  /** Undefined when all is well, else a sentence that says what is not. It tells no secret. */
  check(): string | undefined;
}

/** The copy of an informer, as far as a check looks at it. */
export interface CacheState {
  readonly isSynced: boolean;
  readonly ageMs: number;
}

/** Bookmarks come about every minute and a silent watch is replaced after 90 s; a copy older than this is left alone. */
const ageDefaultMaxMs = 3 * 60_000;

/** Fails until the copy is complete, and again while the server has not been heard for too long. */
export function cacheCheck(name: string, cache: CacheState, ageMaxMs = ageDefaultMaxMs): Check {
  return {
    name,
    check: () => {
      if (!cache.isSynced) return 'the copy is not complete yet';
      if (cache.ageMs <= ageMaxMs) return undefined;
      const [age, limit] = [cache.ageMs, ageMaxMs].map((ms) => Math.floor(ms / 1000));
      return `the server was last heard ${age} s ago, more than ${limit} s`;
    },
  };
}
