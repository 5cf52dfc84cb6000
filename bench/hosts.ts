/**
 * `npm run bench:hosts`: how long it takes until many machines have their hosts, and what that costs, on a cloud whose
 * every answer takes 100 ms; beside it the older way, which claims a host by renaming it. What it came to: bench/README.md.
 */
import { availableParallelism, loadavg } from 'node:os';
import { z } from 'zod';
import { asControl } from '../lab/harness/control-token.ts';
import { Workplace } from '../test/reference/launch/workplace.ts';
import { startChild, type Child, type Figures } from './child-link.ts';
import type { Step } from './hosts-child.ts';
import type { Order } from './hosts-order.ts';
import { openHarness, type HostsHarness } from './hosts-harness.ts';
import { goalLines, linesOf, writesIn, type Measured } from './hosts-report.ts';

const latencyMs = 100;
const inventoryMs = 10_000;
const quietPeriods = 3;
const [few, many] = [200, 1000];
/** As `bin/muster` gives them to a manager, with the variable below. */
const flags = ['--heap-growing-percent=30'];

interface Run {
  readonly way: Order['way'];
  readonly count: number;
  /** Reads of one server are never answered. */
  readonly hangs?: true;
  readonly thenQuiet?: true;
}

async function measure(run: Run): Promise<Measured> {
  const workplace = await Workplace.open('bench');
  try {
    const fixture = await openHarness(workplace, run.count);
    const child = await startFor(run, fixture);
    const coldSeconds = await timed(async () => {
      await child.ask('start');
      if (run.way === 'ours') await fixture.pooled(run.count);
    });
    const adoption = await adopt(run, fixture, child);
    await child.end();
    const quiet = run.thenQuiet === true ? await beQuiet(run, fixture) : undefined;
    await fixture.close();
    console.error(`measured ${JSON.stringify(run)}`);
    return { count: run.count, coldSeconds, ...adoption, ...(quiet !== undefined && { quiet }) };
  } finally {
    await workplace.close();
  }
}

/** Started twice: the first time only fills the cache of compiled code. */
async function startFor({ way, hangs }: Run, { kubeconfig, cloud }: HostsHarness): Promise<Child<Step>> {
  const hanging = hangs === true ? await firstOf(cloud.url) : undefined;
  const order: Order = { way, kubeconfig, latencyMs, inventoryMs, hanging };
  const start = async (): Promise<Child<Step>> => {
    const args = [JSON.stringify(order)];
    const env = { ...cloud.environment, MALLOC_ARENA_MAX: '1' };
    const child = startChild<Step>({ program: 'hosts-child.ts', args, flags, env });
    await child.ask('ready');
    return child;
  };
  await (await start()).end();
  return start();
}

async function adopt(
  { count, hangs }: Run,
  fixture: HostsHarness,
  child: Child<Step>,
): Promise<Pick<Measured, 'seconds' | 'cost' | 'held'>> {
  await child.ask('rest');
  const seconds = await timed(async () => {
    await fixture.want(count);
    await fixture.served(hangs === true ? count - 1 : count);
  });
  return { seconds, cost: await child.ask('report'), held: await child.ask('collect') };
}

/** By a manager that is new to the fleet: the one before still has Events to write, which go out slowly on purpose. */
async function beQuiet(run: Run, fixture: HostsHarness): Promise<Figures> {
  const child = await startFor(run, fixture);
  await child.ask('start');
  let written = 1;
  while (written > 0) {
    await child.ask('rest');
    await pause(inventoryMs);
    written = writesIn(await child.ask('report'));
  }
  await child.ask('rest');
  await pause(quietPeriods * inventoryMs);
  const quiet = await child.ask('report');
  await child.end();
  return { ...quiet, periods: quietPeriods };
}

const reported = z.object({ servers: z.array(z.object({ id: z.string() })) });

/** The one that is taken first. */
async function firstOf(url: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/control/servers`, { headers: asControl });
  const { servers } = reported.parse(await answer.json());
  return servers.map(({ id }) => id).toSorted()[0];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

const [load = 0] = loadavg();
console.log(
  `${availableParallelism()} cores, load before the run ${load.toFixed(1)}; each answer of the cloud takes ${latencyMs} ms`,
);
const ours = await measure({ way: 'ours', count: few });
const older = await measure({ way: 'older', count: few });
const hanging = await measure({ way: 'ours', count: few, hangs: true });
const large = await measure({ way: 'ours', count: many, thenQuiet: true });
const results = { ours, older, hanging, large };
console.log([...linesOf(results), '', ...goalLines(results)].join('\n'));
