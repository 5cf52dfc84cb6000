/** A store on a real server, a rival connection that blocks the store, and the actions of an operator. */
import { Client } from 'pg';
import { TcpProxy } from '../../../lab/harness/tcp-proxy.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { Fixture } from '../../../lab/contracts/store/harness.ts';
import {
  connectDatabase,
  openDatabase,
  type Database,
  type DatabaseOptions,
} from '../../../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../../src/dispatch/store/postgres/postgres-store.ts';

export interface ServerAddress {
  readonly user: string;
  readonly port: number;
}

/** The lock of commits; see `holdCommits`. */
const commitLock = 42;

export class FaultHarness {
  readonly url: string;
  /** The same server, through the proxy that can be cut. */
  readonly wireUrl: string;
  readonly fixture: Fixture;
  /** Holds locks that block the store. */
  readonly rival: Client;
  /** Observes, and ends processes. */
  readonly operator: Client;
  readonly #database: Database;
  readonly #proxy: TcpProxy;
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(parts: {
    url: string;
    wireUrl: string;
    rival: Client;
    operator: Client;
    database: Database;
    proxy: TcpProxy;
  }) {
    this.url = parts.url;
    this.wireUrl = parts.wireUrl;
    this.rival = parts.rival;
    this.operator = parts.operator;
    this.#database = parts.database;
    this.#proxy = parts.proxy;
    this.fixture = new Fixture(new PostgresStore(parts.database.db, { clock: wallClock }));
  }

  static async open({ user, port }: ServerAddress): Promise<FaultHarness> {
    const urlAt = (through: number): string => `postgres://${user}@127.0.0.1:${through}/postgres`;
    const proxy = await TcpProxy.open(port);
    const wireUrl = urlAt(proxy.port);
    const database = await openDatabase({ url: wireUrl, connectionsMax: 2, onLost: () => undefined });
    const [rival, operator] = [connectionTo(urlAt(port)), connectionTo(urlAt(port))];
    for (const client of [rival, operator]) await client.connect();
    await operator.query(
      'truncate accounts, deliveries, retired_pods, recovery_acts, recovery_turns, suspects cascade',
    );
    return new FaultHarness({ url: urlAt(port), wireUrl, rival, operator, database, proxy });
  }

  /** Runs before the connections are closed. */
  onClose(then: () => Promise<void>): void {
    this.#closing.push(then);
  }

  async close(): Promise<void> {
    for (const then of this.#closing.splice(0)) await then();
    for (const client of [this.rival, this.operator]) await client.end();
    await this.#database.close();
    await this.#proxy.close();
  }

  /** Blocks all claims until the rival ends its transaction. */
  async holdLimits(): Promise<void> {
    await this.rival.query('begin; select * from limits for update');
  }

  /** Breaks the connection of the store; the server does not notice. */
  cut(): void {
    this.#proxy.cut();
  }

  /**
   * The host of the server vanishes: connections stay open, and transfer nothing. A new connection reaches another
   * host.
   */
  goSilent(): void {
    this.#proxy.stall();
  }

  /** A store through the same proxy, with a short timeout for answers. */
  impatient(connectionsMax = 1): Fixture {
    return this.#another({ connectionsMax, answerMs: 2000 });
  }

  /** A store whose batches wait until they are full, however slow the machine is. */
  patient(): Fixture {
    return this.#another({ connectionsMax: 4 }, { now: () => wallClock.now(), after: () => () => undefined });
  }

  /** A store on a server with this default isolation level. */
  async atIsolation(level: 'repeatable read'): Promise<Fixture> {
    await this.operator.query(`alter database postgres set default_transaction_isolation = '${level}'`);
    this.onClose(async () => {
      await this.operator.query('alter database postgres reset default_transaction_isolation');
    });
    return this.#another({ connectionsMax: 2 });
  }

  #another(options: Pick<DatabaseOptions, 'connectionsMax' | 'answerMs'>, clock: Clock = wallClock): Fixture {
    const database = connectDatabase({ url: this.wireUrl, onLost: () => undefined, ...options });
    this.onClose(async () => database.close());
    return new Fixture(new PostgresStore(database.db, { clock }));
  }

  /** Makes the server refuse statements with this beginning, through the proxy, until reset. */
  set refuses(beginning: string | undefined) {
    this.#proxy.spoils = beginning;
  }

  /** The backend of the store, once it waits for a lock. */
  async waiting(): Promise<number> {
    return this.#backend(`application_name = 'muster' and wait_event_type = 'Lock'`);
  }

  /** Waits until so many calls wait for a lock, or this call has ended. */
  async waitingOrOver(count: number, verb: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = (): void => void (isOver = true);
    verb.then(end, end);
    await this.until(async () => {
      const { rowCount } = await this.operator.query(
        `select from pg_stat_activity where application_name = 'muster' and wait_event_type = 'Lock'`,
      );
      return isOver || rowCount === count ? true : undefined;
    });
  }

  async listening(): Promise<number> {
    return this.#backend(`application_name = 'muster-listen' and query like 'listen%' and state = 'idle'`);
  }

  /** Waits until the server has so many listener connections. */
  async listeners(count: number): Promise<void> {
    await this.until(async () => {
      const { rowCount } = await this.operator.query(
        `select from pg_stat_activity where application_name = 'muster-listen'`,
      );
      return rowCount === count ? true : undefined;
    });
  }

  async #backend(where: string): Promise<number> {
    return this.until(async () => {
      const { rows } = await this.operator.query<{ pid: number }>(
        `select pid from pg_stat_activity where ${where}`,
      );
      return rows[0]?.pid;
    });
  }

  async terminate(pid: number): Promise<void> {
    await this.operator.query('select pg_terminate_backend($1, 5000)', [pid]);
  }

  /** From now on commits that touch a job wait until the rival ends its transaction. */
  async holdCommits(): Promise<void> {
    await this.operator.query(`
      create or replace function wait_at_commit() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(${commitLock}); return null; end $$;
      create constraint trigger wait_at_commit after insert or update on jobs
        deferrable initially deferred for each row execute function wait_at_commit()`);
    await this.rival.query(`begin; select pg_advisory_xact_lock(${commitLock})`);
  }

  async letCommitsGo(): Promise<void> {
    await this.rival.query('rollback');
    await this.operator.query('drop trigger wait_at_commit on jobs');
  }

  async until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      await new Promise<void>((resolve) => void wallClock.after(10, resolve));
    }
  }
}

export function connectionTo(connectionString: string): Client {
  const client = new Client({ connectionString });
  // A connection that the server ends reports that with its next call, and by this event.
  client.on('error', () => undefined);
  return client;
}

export interface Fault {
  readonly rule: string;
  readonly proves: (harness: FaultHarness) => Promise<void>;
}
