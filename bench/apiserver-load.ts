/** The load of `bench/apiserver`, the same for every server. */
import type { HttpsTarget } from '../lab/contracts/kubernetes-api/https-target.ts';

export type Figures = Readonly<Record<string, number>>;

const path = '/api/v1/namespaces/default/configmaps';
const createsPerRound = 1500;
const events = 300;
const objectsWanted = 10_000;
const listRounds = 5;

let made = 0;

export async function measure(target: HttpsTarget): Promise<Figures> {
  await untilReady(target);
  const creates: [string, number][] = [];
  for (const clients of [1, 16, 64])
    creates.push([`creates/s, ${clients} clients`, await createsPerSecond(target, clients, createsPerRound)]);
  const latencies: [string, number][] = [];
  for (const watchers of [1, 50]) {
    const sorted = (await eventLatencies(target, watchers)).toSorted((a, b) => a - b);
    latencies.push(
      [`create to event, ${watchers} watchers, p50 ms`, quantile(sorted, 0.5)],
      [`create to event, ${watchers} watchers, p99 ms`, quantile(sorted, 0.99)],
    );
  }
  await createsPerSecond(target, 64, objectsWanted - made);
  const lists: number[] = [];
  for (let round = 0; round < listRounds; round += 1)
    lists.push(await timed(() => target.request({ method: 'GET', path })));
  return {
    ...Object.fromEntries(creates),
    ...Object.fromEntries(latencies),
    'list of 10,000, ms': quantile(
      lists.toSorted((a, b) => a - b),
      0.5,
    ),
  };
}

async function untilReady(target: HttpsTarget): Promise<void> {
  made = 0;
  const answer = await target.request({ method: 'GET', path });
  if (answer.status !== 200) throw new Error(`the server is not ready: ${answer.status}`);
}

async function create(target: HttpsTarget): Promise<void> {
  made += 1;
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `c-${made}`, labels: { round: 'bench' } },
    data: { text: 'x'.repeat(400) },
  };
  const answer = await target.request({ method: 'POST', path, body });
  if (answer.status !== 201) throw new Error(`a create was answered with ${answer.status}`);
}

async function createsPerSecond(target: HttpsTarget, clients: number, count: number): Promise<number> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await create(target);
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: clients }, client)));
  return (count / ms) * 1000;
}

/** From the send of a create until the last watcher has its event. */
async function eventLatencies(target: HttpsTarget, watchers: number): Promise<readonly number[]> {
  const { body } = await target.request({ method: 'GET', path, query: { limit: '1' } });
  const resourceVersion = String(Reflect.get(Reflect.get(Object(body), 'metadata'), 'resourceVersion'));
  const watches = await Promise.all(
    Array.from({ length: watchers }, () => target.watch(path, { resourceVersion })),
  );
  const latencies: number[] = [];
  for (let round = 0; round < events; round += 1) {
    latencies.push(await timed(() => Promise.all([create(target), ...watches.map((watch) => watch.next())])));
  }
  await Promise.all(watches.map((watch) => watch.close()));
  return latencies;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

function quantile(sorted: readonly number[], at: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}
