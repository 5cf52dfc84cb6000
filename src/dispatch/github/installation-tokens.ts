/** The tokens with which we speak for installations: each is fetched once, kept while it is good, and forgotten when refused. */
import type { Clock } from '../../runtime/clock.ts';
import type { Secret } from '../../runtime/secret.ts';

export interface InstallationToken {
  readonly token: Secret;
  readonly expires_at: number;
}

/** A token is good for an hour; one that ends while a request is under way has ended too early. */
const spareMs = 300_000;

export class InstallationTokens {
  readonly #clock: Clock;
  readonly #fetch: (installationId: string) => Promise<InstallationToken>;
  readonly #tokens = new Map<string, Promise<InstallationToken>>();

  constructor(clock: Clock, fetchToken: (installationId: string) => Promise<InstallationToken>) {
    this.#clock = clock;
    this.#fetch = fetchToken;
  }

  /** Whoever asks while it is fetched waits for the same one; one that could not be had is not remembered. */
  async of(installationId: string): Promise<Secret> {
    const kept = await this.#tokens.get(installationId);
    if (kept !== undefined && kept.expires_at - spareMs > this.#clock.now()) return kept.token;
    return (await this.#renewed(installationId, kept)).token;
  }

  /** It was refused. Another that came meanwhile stays. */
  async forget(installationId: string, token: Secret): Promise<void> {
    const kept = this.#tokens.get(installationId);
    if (kept !== undefined && (await kept).token === token && this.#tokens.get(installationId) === kept)
      this.#tokens.delete(installationId);
  }

  async #renewed(installationId: string, old: InstallationToken | undefined): Promise<InstallationToken> {
    // Somebody else, who saw the same old one, may have begun already.
    const current = this.#tokens.get(installationId);
    if (current !== undefined && (await current) !== old) return current;
    const fetching = this.#fetch(installationId);
    this.#tokens.set(installationId, fetching);
    try {
      return await fetching;
    } catch (error) {
      if (this.#tokens.get(installationId) === fetching) this.#tokens.delete(installationId);
      throw error;
    }
  }
}
