/**
 * The database as it was at some moment, and a failover to it: what was committed since is lost, as with a standby that lagged
 * behind. Whoever is connected is thrown out each time, the rival and the operator of the stand for good.
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

  /** Said from next door, while nobody is connected: the server does none of this to a database that is in use. */
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

  /** On both connections of the store, each of which learns only when it is used that it was ended. */
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
