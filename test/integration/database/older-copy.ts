/**
 * A copy of the database, and a failover to the copy: later commits are lost, as with a lagging standby. Each time all
 * connections are terminated, those of the rival and the operator for good.
 */
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import { connectionTo, type FaultHarness } from './fault-harness.ts';

export class OlderCopy {
  readonly #harness: FaultHarness;

  private constructor(harness: FaultHarness) {
    this.#harness = harness;
  }

  static async of(harness: FaultHarness): Promise<OlderCopy> {
    const copy = new OlderCopy(harness);
    await copy.#alone(['drop database if exists older', 'create database older template postgres']);
    return copy;
  }

  async failOver(): Promise<void> {
    await this.#alone([
      'alter database postgres rename to lost',
      'alter database older rename to postgres',
      'drop database lost',
    ]);
  }

  /**
   * Runs from another database while this one has no connections: the server allows none of this on a database in use.
   */
  async #alone(statements: readonly string[]): Promise<void> {
    const operator = connectionTo(this.#harness.url.replace(/postgres$/, 'template1'));
    await operator.connect();
    await operator.query('alter database postgres allow_connections false');
    await operator.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'postgres'`,
    );
    for (const statement of statements) await operator.query(statement);
    await operator.query('alter database postgres allow_connections true');
    await operator.end();
    await this.#harness.until(async () => this.#serves());
  }

  /** Checks both connections of the store, each of which notices its end only on use. */
  async #serves(): Promise<true | undefined> {
    const { store } = this.#harness.fixture;
    const reads = await Promise.allSettled([store.accounts(), store.accounts()]);
    for (const read of reads)
      if (read.status === 'rejected') {
        if (!isFleetError(read.reason, 'unavailable')) throw read.reason;
        return undefined;
      }
    return true;
  }
}
