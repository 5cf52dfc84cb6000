/** The tokens with which we speak for installations: each is fetched once, kept while it is good, and forgotten when refused. */
import type { Clock } from '../../platform/clock.ts';
import type { Secret } from '../../platform/secret.ts';

export interface InstallationToken {
  readonly token: Secret;
  readonly expires_at: number;
}

interface Kept {
  readonly fetching: Promise<InstallationToken>;
  /** Once it is there. */
  came: InstallationToken | undefined;
}

/** A token is good for an hour; one that ends while a request is under way has ended too early. */
const spareMs = 300_000;

export class InstallationTokens {
  readonly #clock: Clock;
  readonly #fetch: (installationId: string) => Promise<InstallationToken>;
  readonly #tokens = new Map<string, Kept>();

  constructor(clock: Clock, fetchToken: (installationId: string) => Promise<InstallationToken>) {
    this.#clock = clock;
    this.#fetch = fetchToken;
  }

  /** Whoever asks while it is fetched waits for the same one; one that could not be had is not remembered. */
  async of(installationId: string): Promise<Secret> {
    const known = this.#tokens.get(installationId);
    const isOver = known?.came !== undefined && known.came.expires_at - spareMs <= this.#clock.now();
    const kept = known === undefined || isOver ? this.#begin(installationId) : known;
    return (await kept.fetching).token;
  }

  /** It was refused. Another that came meanwhile stays. */
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
