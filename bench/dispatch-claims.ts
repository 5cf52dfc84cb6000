/** Claims per second: ours, with Pods that wait together, beside a plain loop of single claims with SKIP LOCKED. */
import { sql, type Kysely } from 'kysely';
import { openDatabase } from '../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../src/dispatch/store/postgres/postgres-store.ts';
import type { Schema } from '../src/dispatch/store/postgres/schema.ts';
import { ParkedPolls } from '../src/dispatch/assign/parked-polls.ts';
import { uuid } from '../src/platform/ids.ts';
import { anyRandom, wallClock } from '../lab/harness/wall-clock.ts';
import { fillQueue, openAccounts, poolName } from './dispatch-jobs.ts';

/** Alternating, since one run may be twice as fast as the next when others use the disk: the median counts. */
const rounds = 5;
const jobCount = 3000;
const jobsAlone = 1000;
const connections = 8;
const nothing = { jobs: new Set<string>(), repositories: new Set<string>(), accounts: new Set<string>() };

export interface ClaimRates {
  readonly raw: number;
  readonly together: number;
  readonly alone: number;
}

export async function measureClaims(url: string): Promise<ClaimRates> {
  const database = await openDatabase({ url, connectionsMax: connections, onLost: () => undefined });
  const { db } = database;
  const store = new PostgresStore(db, { clock: wallClock });
  await openAccounts(store);
  const measure = async (run: () => Promise<number>, count = jobCount): Promise<number> => {
    await fillQueue(db, count);
    const began = performance.now();
    return (1000 * (await run())) / (performance.now() - began);
  };
  try {
    const raw: number[] = [];
    const together: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      raw.push(await measure(async () => rawLoops(db)));
      together.push(await measure(async () => waitingPods(store, 64)));
    }
    const alone = await measure(async () => waitingPods(store, 1), jobsAlone);
    return { raw: middleOf(raw), together: middleOf(together), alone };
  } finally {
    await database.close();
  }
}

function middleOf(rates: readonly number[]): number {
  return rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
}

async function rawLoops(db: Kysely<Schema>): Promise<number> {
  let claimed = 0;
  const loop = async (name: number): Promise<void> => {
    for (let round = 0; ; round += 1) {
      const { rows } = await sql`
        with head as (
          select id from raw_jobs where pool = ${poolName} and state = 'queued'
          order by queued_at, id for update skip locked limit 1
        ), moved as (
          update raw_jobs set state = 'claimed' from head where raw_jobs.id = head.id returning raw_jobs.id
        )
        insert into raw_claims select id, ${`${name}-${round}`} from moved returning job_id`.execute(db);
      if (rows.length === 0) return;
      claimed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, async (_, index) => loop(index)));
  return claimed;
}

/** Two replicas with so many waiting Pods each; a Pod with a job is replaced by another Pod. */
async function waitingPods(store: PostgresStore, count: number): Promise<number> {
  let claimed = 0;
  const signal = new AbortController().signal;
  const newGeneration = (): string => uuid(anyRandom);
  const pod = async (parkedPolls: ParkedPolls): Promise<void> => {
    for (;;) {
      const name = newGeneration();
      const { kind } = await parkedPolls.wait({
        pool: poolName,
        pod: { name, uid: name },
        waitMs: 0,
        signal,
      });
      if (kind !== 'claimed') return;
      claimed += 1;
    }
  };
  const replicas = Array.from(
    { length: 2 },
    () => new ParkedPolls({ store, clock: wallClock, newGeneration, except: () => nothing }),
  );
  await Promise.all(
    replicas.flatMap((parkedPolls) => Array.from({ length: count }, async () => pod(parkedPolls))),
  );
  return claimed;
}
