/** Caches the access tokens of installations: fetched once, kept while valid, dropped when refused. */
import type { Clock } from '../../platform/clock.ts';
import type { Secret } from '../../platform/secret.ts';

export interface InstallationToken {
  readonly token: Secret;
  readonly expires_at: number;
}

interface Kept {
  readonly fetching: Promise<InstallationToken>;
  /** Set when the fetch succeeds. */
  came: InstallationToken | undefined;
}

/** A token lives for an hour. Replace it early, since it must not expire during a request. */
const spareMs = 300_000;

export class InstallationTokens {
  readonly #clock: Clock;
  readonly #fetch: (installationId: string) => Promise<InstallationToken>;
  readonly #tokens = new Map<string, Kept>();

  constructor(clock: Clock, fetchToken: (installationId: string) => Promise<InstallationToken>) {
    this.#clock = clock;
    this.#fetch = fetchToken;
  }

  /** Concurrent callers share one fetch; a failed fetch is not cached. */
  async of(installationId: string): Promise<Secret> {
    const known = this.#tokens.get(installationId);
    const isOver = known?.came !== undefined && known.came.expires_at - spareMs <= this.#clock.now();
    const kept = known === undefined || isOver ? this.#begin(installationId) : known;
    return (await kept.fetching).token;
  }

  /** Drops a refused token, unless a newer token has replaced it. */
  forget(installationId: string, token: Secret): void {
    if (this.#tokens.get(installationId)?.came?.token === token) this.#tokens.delete(installationId);
  }

  #begin(installationId: string): Kept {
    const kept: Kept = { fetching: this.#fetch(installationId), came: undefined };
    this.#tokens.set(installationId, kept);
    kept.fetching.then(
      (token) => void (kept.came = token),
      () => void this.#tokens.delete(installationId),
    );
    return kept;
  }
}
