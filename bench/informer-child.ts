/**
 * The process that `bench/informer` measures: two informers, or as a baseline the same lists read and parsed at once.
 */
import { Agent } from 'undici';
import { Informer } from '../src/kube/informer/informer.ts';
import type { KubeClient } from '../src/kube/client/client.ts';
import type { Connection } from '../src/kube/client/connection.ts';
import type { KubeObject, Resource } from '../src/kube/client/kube-object.ts';
import { anyRandom as random, wallClock as clock } from '../lab/harness/wall-clock.ts';
import { nodes, pods, stampOf } from './informer-objects.ts';
import { clientFor, connectionIn } from './kube-client.ts';
import { LoopLag, quantile } from './loop-lag.ts';

type Figures = Readonly<Record<string, number>>;
export type Step = 'ready' | 'sync' | 'collect' | 'rest' | 'report';

const [, , mode = '', kubeconfig = ''] = process.argv;
const ageEveryMs = 50;
const lag = new LoopLag();
const { client, transport } = await clientFor(kubeconfig);
const informers = [nodes, pods].map((resource) => informerOf(client, resource));
/** Milliseconds from the write of a change to its arrival. */
let delays: number[] = [];
let oldestMs = 0;
/** The data that the baseline keeps. */
const parsed: unknown[] = [];

function informerOf(of: KubeClient, resource: Resource): Informer<KubeObject> {
  const informer = new Informer({
    client: of,
    resource,
    clock,
    random,
    onListenerFault: (error) => {
      throw error;
    },
  });
  informer.listen(({ object, before }) => {
    if (object !== undefined && before !== undefined) delays.push(Date.now() - stampOf(object));
  });
  return informer;
}

const steps: Readonly<Record<Step, () => Figures | Promise<Figures>>> = {
  ready: () => rest(),
  sync: async () => {
    lag.take();
    const began = performance.now();
    if (mode === 'raw') await readRaw(await connectionIn(kubeconfig));
    else await syncInformers();
    const [syncMs, held] = [performance.now() - began, memory()];
    // A block that ends just now is visible only to the next rounds.
    await pause(50);
    return { syncMs, ...held, ...lagFigures() };
  },
  collect: async () => {
    for (let round = 0; round < 4; round += 1) {
      globalThis.gc?.();
      await pause(100);
    }
    return memory();
  },
  rest,
  report: () => {
    const sorted = delays.toSorted((a, b) => a - b);
    const { requests, writes } = transport;
    const seen = { seen: sorted.length, seenP50: quantile(sorted, 0.5), seenP99: quantile(sorted, 0.99) };
    return { requests, writes, oldestMs, ...seen, ...memory(), ...lagFigures() };
  },
};

function rest(): Figures {
  [transport.requests, transport.writes, delays, oldestMs] = [0, 0, [], 0];
  lag.take();
  return {};
}

async function syncInformers(): Promise<void> {
  for (const informer of informers) informer.start();
  await Promise.all(informers.map((informer) => informer.synced()));
  setInterval(() => {
    oldestMs = Math.max(oldestMs, ...informers.map(({ ageMs }) => ageMs));
  }, ageEveryMs);
}

async function readRaw({ server, authority, credentials }: Connection): Promise<void> {
  const { certificate } = await credentials.current();
  const connect = { ca: authority, cert: certificate?.pem, key: certificate?.key.reveal() };
  const agent = new Agent({ connect });
  for (const path of ['/api/v1/nodes', '/api/v1/pods']) {
    const answer = await agent.request({ origin: server, path, method: 'GET' });
    parsed.push(JSON.parse(await answer.body.text()));
  }
  await agent.close();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

function memory(): Figures {
  const { rss, heapUsed } = process.memoryUsage();
  const mebibyte = 2 ** 20;
  return { rss: rss / mebibyte, heap: heapUsed / mebibyte, peak: process.resourceUsage().maxRSS / 1024 };
}

function lagFigures(): Figures {
  const { p50, p99, max } = lag.take();
  return { lagP50: p50, lagP99: p99, lagMax: max };
}

process.on('message', (step: Step) => {
  void Promise.resolve(steps[step]()).then((figures) => process.send?.(figures));
});
process.on('disconnect', () => process.exit());
