/**
 * A process that may be killed at any moment: fifty pollers on two queues of parked polls over real connections, woken by
 * database notifications. Its first message is its order, any other message stops it; it reports over the same pipe.
 */
import { once } from 'node:events';
import { openDatabase } from '../../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../src/dispatch/store/postgres/postgres-store.ts';
import { WakeListener } from '../../src/dispatch/store/postgres/wake-listener.ts';
import type { ClaimRequest, JobStore } from '../../src/dispatch/store/port.ts';
import { ParkedPolls } from '../../src/dispatch/assign/parked-polls.ts';
import { Secret } from '../../src/platform/secret.ts';
import { RandomStreams } from '../../lab/simulator/engine/random-streams.ts';
import { wallClock as clock } from '../../lab/harness/wall-clock.ts';
import { poolOf } from './plan.ts';
import { Poller } from './poller.ts';
import { orderIn, type Report } from './words.ts';

const reportEveryMs = 50;
const [first] = await once(process, 'message');
const { url, seed, life, pods } = orderIn(first);
const random = new RandomStreams(seed).stream(`worker ${life}`);
const counts = new Map<string, number>();
let ids = 0;

function report(said: Report): void {
  process.send?.(said);
}

function fault(error: unknown): void {
  report({ kind: 'fault', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

function count(what: string, by = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + by);
}

function newId(): string {
  return `${life}-${(ids += 1)}`;
}

function sendCounts(): void {
  if (counts.size > 0) report({ kind: 'counts', counts: Object.fromEntries(counts) });
  counts.clear();
  clock.after(reportEveryMs, sendCounts);
}

function counting(store: JobStore): Pick<JobStore, 'claim'> {
  return {
    claim: async (request: ClaimRequest) => {
      const answers = await store.claim(request);
      count('requests');
      count('attempts', request.pods.length);
      return answers;
    },
  };
}

const database = await openDatabase({ url, connectionsMax: 6, onLost: fault });
const store = new PostgresStore(database.db, { clock });
const except = { jobs: new Set<string>(), repositories: new Set<string>(), accounts: new Set<string>() };
function newLimiter(): ParkedPolls {
  return new ParkedPolls({ store: counting(store), clock, newGeneration: newId, except: () => except });
}

const rooms = [newLimiter(), newLimiter()] as const;
const listener = new WakeListener({
  url: new Secret(url),
  clock,
  onWake: (pool) => {
    for (const remaining of rooms) remaining.wake(pool);
  },
  onTrouble: fault,
});
await listener.start();
const stopping = new AbortController();
const pollers = pods.map((pod, number) => {
  const options = { number, pool: poolOf(number), pod, stopping: stopping.signal };
  return new Poller(options, { store, rooms, clock, random, newId, report, count }).run().catch(fault);
});
process.on('disconnect', () => process.exit());
sendCounts();
await once(process, 'message');
stopping.abort();
for (const remaining of rooms) remaining.close();
await Promise.all(pollers);
await listener.stop();
await database.close();
process.exit();
