/** Polls the tables on its own connection for states that must never be committed. */
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../../src/dispatch/store/postgres/schema.ts';

interface Breach {
  readonly what: string;
  readonly who: string;
}

export interface MonitorPorts {
  readonly db: Kysely<Schema>;
  readonly found: (what: string) => void;
  readonly pause: () => Promise<void>;
}

export class Monitor {
  readonly #ports: MonitorPorts;
  #isStopped = false;
  #watching: Promise<void> = Promise.resolve();
  samples = 0;
  /** The highest use of any budget, as a share of it. */
  fullest = 0;

  constructor(ports: MonitorPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { db, found, pause } = this.#ports;
    while (!this.#isStopped) {
      for (const { what, who } of await breachesIn(db)) found(`${what}: ${who}`);
      this.fullest = Math.max(this.fullest, await fullestIn(db));
      this.samples += 1;
      await pause();
    }
  }
}

async function breachesIn(db: Kysely<Schema>): Promise<readonly Breach[]> {
  const { rows } = await sql<Breach>`
    select 'budget breach' as what, account_id || ' on ' || platform as who
      from limits join claims using (account_id, platform) group by account_id, platform
      having sum(claims.vcpus) > max(limits.vcpus) or sum(claims.memory_gb) > max(limits.memory_gb)
    union all select 'double claim: two live claims of Pod', pod_uid
      from claims group by pod_uid having count(*) > 1
    union all select 'double claim: two live claims for job', job_id
      from claims group by job_id having count(*) > 1
    union all select 'double claim: two open sessions of Pod', pod_uid
      from sessions where ended_at is null group by pod_uid having count(*) > 1
    union all select 'a claim of the retired Pod', pod_uid
      from claims join retired_pods using (pod_uid)`.execute(db);
  return rows;
}

async function fullestIn(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ readonly share: number | null }>`
    select max(share)::float as share from (
      select greatest(sum(claims.vcpus)::float / max(limits.vcpus), sum(claims.memory_gb)::float / max(limits.memory_gb))
        as share
      from limits join claims using (account_id, platform) group by account_id, platform
    ) budgets`.execute(db);
  return rows[0]?.share ?? 0;
}
