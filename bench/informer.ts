/**
 * `npm run bench:informer`: two informers on 1,000 Nodes and 10,000 Pods in their own process, beside a process that
 * reads and parses the same lists at once; on the embedded API and on the real one. Results: bench/README.md.
 */
import { availableParallelism, loadavg } from 'node:os';
import { Workplace } from '../test/reference/launch/workplace.ts';
import { embedded, real, type Start } from './contenders.ts';
import { startChild, type Child, type Figures } from './child-link.ts';
import type { Step } from './informer-child.ts';
import { fill, nodeCount, podCount, pods, touch } from './informer-objects.ts';
import { clientFor } from './kube-client.ts';

const quietMs = 5000;
const churnSeconds = 10;
const changesPerSecond = 200;
const rssMaxMiB = 256;
const lagMaxMs = 50;

interface Measured {
  readonly raw: Figures;
  readonly rawHeld: Figures;
  readonly sync: Figures;
  readonly held: Figures;
  readonly quiet: Figures;
  readonly churn: Figures;
}

async function measure(start: Start): Promise<Measured> {
  const workplace = await Workplace.open('bench');
  try {
    const kubeconfig = await start(workplace);
    const { client, transport } = await clientFor(kubeconfig);
    await fill(client);
    const sample = await client.get(pods, { namespace: 'default', name: 'runner-00000-x7k2p' });
    console.error(`filled; a Pod has ${JSON.stringify(sample).length} bytes`);
    const baseline = await readAtOnce(kubeconfig);
    const child = childFor('informers', kubeconfig);
    await child.ask('ready');
    const sync = await child.ask('sync');
    const held = await child.ask('collect');
    await child.ask('rest');
    await pause(quietMs);
    const quiet = await child.ask('report');
    // The writer was idle too: its first write pays for a new connection.
    await touch(client, 0);
    await child.ask('rest');
    await churn((number) => touch(client, number));
    const churned = await child.ask('report');
    await child.end();
    await transport.close();
    return { ...baseline, sync, held, quiet, churn: churned };
  } finally {
    await workplace.close();
  }
}

function childFor(mode: 'informers' | 'raw', kubeconfig: string): Child<Step> {
  return startChild({ program: 'informer-child.ts', args: [mode, kubeconfig] });
}

async function readAtOnce(kubeconfig: string): Promise<Pick<Measured, 'raw' | 'rawHeld'>> {
  const child = childFor('raw', kubeconfig);
  await child.ask('ready');
  const raw = await child.ask('sync');
  const rawHeld = await child.ask('collect');
  await child.end();
  return { raw, rawHeld };
}

/** Makes so many changes a second, whether or not earlier ones are done. */
async function churn(change: (number: number) => Promise<void>): Promise<void> {
  const began = performance.now();
  const underWay: Promise<void>[] = [];
  for (let count = 0; count < churnSeconds * changesPerSecond; count += 1) {
    const dueMs = (count * 1000) / changesPerSecond - (performance.now() - began);
    if (dueMs > 1) await pause(dueMs);
    underWay.push(change((count * 7) % podCount));
  }
  await Promise.all(underWay);
  await pause(500);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

function linesOf({ raw, rawHeld, sync, held, quiet, churn: churned }: Measured): readonly string[] {
  const beside = (own = Number.NaN, base = Number.NaN): string =>
    `${text(own)} beside ${text(base)}: ${(own / base).toFixed(2)} times`;
  return [
    `first sync, ms: ${beside(sync['syncMs'], raw['syncMs'])}`,
    `RSS after it, MiB: ${beside(sync['rss'], raw['rss'])}`,
    `highest RSS, MiB: ${beside(sync['peak'], raw['peak'])}`,
    `RSS after a collection, MiB: ${beside(held['rss'], rawHeld['rss'])} (heap ${beside(held['heap'], rawHeld['heap'])})`,
    `loop lag in the first sync: ${lagIn(sync)}; beside ${lagIn(raw)}`,
    `quiet for ${quietMs / 1000} s: ${quiet['requests']} requests, ${quiet['writes']} writes, age of the caches up to ${text(quiet['oldestMs'])} ms`,
    `${changesPerSecond} changes/s for ${churnSeconds} s: ${churned['seen']} seen, from write to cache ${text(churned['seenP50'])} ms p50, ${text(churned['seenP99'])} ms p99`,
    `loop lag in it: ${lagIn(churned)}; RSS ${text(churned['rss'])} MiB; ${churned['writes']} writes; age of the caches up to ${text(churned['oldestMs'])} ms`,
    goal('RSS after the first sync, MiB', sync['rss'], rssMaxMiB),
    goal('loop lag p99 in the first sync, ms', sync['lagP99'], lagMaxMs),
    goal('loop lag p99 under change, ms', churned['lagP99'], lagMaxMs),
    goal('writes while nothing changes', quiet['writes'], 1),
  ];
}

function goal(what: string, value = Number.NaN, below: number): string {
  return `goal: ${what}: ${text(value)}, wanted below ${below}, met: ${value < below ? 'yes' : 'NO'}`;
}

function lagIn(figures: Figures): string {
  const { lagP50, lagP99, lagMax } = figures;
  return `${text(lagP50)} ms p50, ${text(lagP99)} ms p99, ${text(lagMax)} ms at most`;
}

function text(value = Number.NaN): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

const [load = 0] = loadavg();
console.log(
  `${availableParallelism()} cores, load before the run ${load.toFixed(1)}; ${nodeCount} Nodes, ${podCount} Pods`,
);
for (const [name, start] of [
  ['embedded API', embedded(false)],
  ['etcd + kube-apiserver', real],
] as const)
  console.log([`\n${name}`, ...linesOf(await measure(start))].join('\n'));
