/**
 * `npm run bench:dispatch`: claims a second beside a plain loop on the same database, the time from a webhook to a
 * waiting Pod, how many webhooks are stored in time, and the cost of a waiting Pod. With `-- --tokens`: forged tokens
 * beside good runners, without a database. Results: bench/README.md.
 */
import { availableParallelism, loadavg } from 'node:os';
import { openDatabase } from '../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../src/dispatch/store/postgres/postgres-store.ts';
import { startNpmPostgres } from '../test/integration/database/npm-postgres.ts';
import { Workplace } from '../test/reference/launch/workplace.ts';
import { wallClock } from '../lab/harness/wall-clock.ts';
import { startChild, type Child } from './child-link.ts';
import { measureClaims } from './dispatch-claims.ts';
import type { DispatchStep } from './dispatch-child.ts';
import { benchTokens } from './dispatch-tokens.ts';
import { percentiles, Pollers, sendHooks, type Sent } from './dispatch-load.ts';

const pollerCount = 1000;
const jobs = { count: 1000, perSecond: 25 };
const steady = { count: 3000, perSecond: 150 };
const burst = { count: 1500, perSecond: 150, atOnce: 150 };
const kibibyte = 1024;

await (process.argv.includes('--tokens') ? benchTokens() : benchJobs());

async function benchJobs(): Promise<void> {
  const workplace = await Workplace.open('bench');
  try {
    const { port, user } = await startNpmPostgres(workplace);
    const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
    console.log(`cores ${availableParallelism()}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
    await claimFigures(url);
    await clear(url);
    const child = startChild<DispatchStep>({ program: './dispatch-child.ts', args: [url] });
    const { port: httpPort = 0 } = await child.ask('start');
    await ingestFigures(url, httpPort);
    await clear(url);
    await handOverFigures(child, httpPort);
    await child.end();
  } finally {
    await workplace.close();
  }
}

async function claimFigures(url: string): Promise<void> {
  const { raw, together, alone } = await measureClaims(url);
  console.log(
    `claims/s: bare loop ${text(raw)}, ours with 128 that wait ${text(together)}, with 2 ${text(alone)}`,
  );
  goal('claims/s beside the bare loop', together / raw, { least: 0.7 });
}

async function ingestFigures(url: string, port: number): Promise<void> {
  for (const [name, load, first] of [
    ['150/s for 20 s', steady, 1_000_000],
    ['1,500 in 10 s, 150 at a time', burst, 2_000_000],
  ] as const) {
    const sent = await sendHooks(port, { ...load, first });
    const { p50, p99 } = percentiles(sent.map(({ ackMs }) => ackMs));
    console.log(`webhooks, ${name}: acknowledged after ${text(p50)} ms p50, ${text(p99)} ms p99`);
    goal(`acknowledged in time, ${name}, p99 ms`, p99, { most: 250 });
    goal(`webhooks lost, ${name}`, await lost(url, sent), { most: 0 });
  }
}

async function handOverFigures(child: Child<DispatchStep>, port: number): Promise<void> {
  const before = await child.ask('collect');
  const pollers = new Pollers(port, pollerCount);
  // All Pods have connected, and wait.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const after = await child.ask('collect');
  const perPoller = (name: string): number =>
    ((after[name] ?? 0) - (before[name] ?? 0)) / pollerCount / kibibyte;
  console.log(
    `a Pod that waits costs ${text(perPoller('heap'))} KiB of heap, ${text(perPoller('rss'))} KiB in all`,
  );
  const sent = await sendHooks(port, { ...jobs, first: 3_000_000 });
  await new Promise((resolve) => setTimeout(resolve, 2000));
  pollers.end();
  const took = sent.flatMap(({ jobId, at }) => (pollers.served.get(jobId) ?? Infinity) - at);
  const { p50, p99, max } = percentiles(took);
  console.log(`webhook to a waiting Pod: ${text(p50)} ms p50, ${text(p99)} ms p99, ${text(max)} ms at most`);
  goal(`webhook to one of ${pollerCount} Pods, p99 ms`, p99, { most: 100 });
}

async function clear(url: string): Promise<void> {
  const database = await openDatabase({ url, connectionsMax: 1, onLost: () => undefined });
  for (const table of ['claims', 'sessions', 'jobs'] as const) await database.db.deleteFrom(table).execute();
  await database.close();
}

async function lost(url: string, sent: readonly Sent[]): Promise<number> {
  const database = await openDatabase({ url, connectionsMax: 1, onLost: () => undefined });
  const store = new PostgresStore(database.db, { clock: wallClock });
  const known = new Set((await store.jobs({ limit: 100_000 })).map(({ id }) => id));
  await database.close();
  return (
    sent.filter(({ jobId, status }) => status === 200 && !known.has(jobId)).length + unacknowledged(sent)
  );
}

function unacknowledged(sent: readonly Sent[]): number {
  return sent.filter(({ status }) => status !== 200).length;
}

function goal(
  what: string,
  value: number,
  wanted: { readonly least: number } | { readonly most: number },
): void {
  const isMet = 'least' in wanted ? value >= wanted.least : value <= wanted.most;
  const bound = 'least' in wanted ? `at least ${wanted.least}` : `at most ${wanted.most}`;
  console.log(`goal: ${what}: ${text(value)}, wanted ${bound}, met: ${isMet ? 'yes' : 'NO'}`);
}

function text(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
