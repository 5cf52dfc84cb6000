/** Named checks of the state of the process, run by probes. */
export interface Check {
  /** One word, such as `caches`, used in the answer. */
  readonly name: string;
  /** Undefined if the check passes, otherwise a sentence about the problem, without secrets. */
  check(): string | undefined;
}

/** The state of an informer's cache. */
export interface CacheState {
  readonly isSynced: boolean;
  readonly ageMs: number;
}

/**
 * Bookmarks come about every minute and a silent watch is replaced after 90 s, so an older cache has lost its server.
 */
const ageDefaultMaxMs = 3 * 60_000;

/** Fails until the cache is complete, and again when the server has sent nothing for too long. */
export function cacheCheck(name: string, cache: CacheState, ageMaxMs = ageDefaultMaxMs): Check {
  return {
    name,
    check: () => {
      if (!cache.isSynced) return 'the cache is not complete yet';
      if (cache.ageMs <= ageMaxMs) return undefined;
      const [age, limit] = [cache.ageMs, ageMaxMs].map((ms) => Math.floor(ms / 1000));
      return `the server last sent anything ${age} s ago, more than ${limit} s`;
    },
  };
}
