/**
 * `npm run bench:sim`: how many events a second the simulator schedules, beside a plain sorted array in the same run,
 * and the cost of a whole scenario. Results: bench/README.md.
 */
import { availableParallelism, loadavg } from 'node:os';
import { plannedFaults } from '../lab/simulator/faults/fault-plan.ts';
import { realDrain } from '../src/bin/real-ports.ts';
import { RandomStreams } from '../lab/simulator/engine/random-streams.ts';
import { runOnce } from '../lab/simulator/engine/run.ts';
import { scenarios } from '../lab/simulator/workloads/all.ts';
import { sampleWith } from '../lab/simulator/workloads/sample/sample.ts';
import { Schedule } from '../lab/simulator/engine/schedule.ts';

const pending = 10_000;
const events = 500_000;
const goal = 500_000;
/** The plain array is so much slower that it gets fewer events. */
const plainEvents = 50_000;

const drain = realDrain();
const hosts = Array.from({ length: 50 }, (_, index) => `host-${index}`);

/** Many timers wait, and each timer sets another: a steady load. */
async function scheduleRate(between: () => Promise<void>): Promise<number> {
  const streams = new RandomStreams(1);
  const random = streams.stream('bench');
  const schedule = new Schedule({ startsAt: 0, ties: streams.stream('ties'), drain: between });
  let left = events;
  const again = (): void => {
    left -= 1;
    if (left > 0) schedule.after(1 + Math.floor(random.next() * 1000), 'bench', again);
  };
  for (let index = 0; index < pending; index += 1)
    schedule.after(Math.floor(random.next() * 1000), 'bench', again);
  const began = performance.now();
  await schedule.runUntil(Number.MAX_SAFE_INTEGER);
  return (schedule.events / (performance.now() - began)) * 1000;
}

interface PlainEvent {
  readonly at: number;
  readonly run: () => void;
}

/** The naive implementation: a sorted list. */
function plainRate(): number {
  const random = new RandomStreams(1).stream('bench');
  const list: PlainEvent[] = [];
  let [now, left, ran] = [0, plainEvents, 0];
  const add = (ms: number, run: () => void): void => {
    const event = { at: now + ms, run };
    const place = list.findIndex((other) => other.at > event.at);
    list.splice(place < 0 ? list.length : place, 0, event);
  };
  const again = (): void => {
    left -= 1;
    if (left > 0) add(1 + Math.floor(random.next() * 1000), again);
  };
  for (let index = 0; index < pending; index += 1) add(Math.floor(random.next() * 1000), again);
  const began = performance.now();
  for (let next = list.shift(); next !== undefined; next = list.shift()) {
    now = next.at;
    ran += 1;
    next.run();
  }
  return (ran / (performance.now() - began)) * 1000;
}

async function scenarioLines(): Promise<readonly string[]> {
  const lines: string[] = [];
  const cast = [...scenarios, { ...sampleWith(hosts), name: `sample with ${hosts.length} objects` }];
  for (const scenario of cast) {
    const began = performance.now();
    const settings = { hours: 100, drain, faults: () => plannedFaults([]) };
    const { events: ran } = await runOnce(scenario, { seed: 1, ...settings });
    const seconds = (performance.now() - began) / 1000;
    const rate = `${Math.round(ran / seconds)} events/s, ${(100 / seconds).toFixed(1)} virtual hours/s`;
    lines.push(`${scenario.name}, 100 virtual hours without faults: ${ran} events, ${rate}`);
  }
  return lines;
}

const resolved = Promise.resolve();
const [load = 0] = loadavg();
console.log(
  `${availableParallelism()} cores, load before the run ${load.toFixed(1)}; ${pending} timers wait\n`,
);
await scheduleRate(() => resolved);
const pure = await scheduleRate(() => resolved);
const drained = await scheduleRate(drain);
const plain = plainRate();
console.log(`scheduling alone:             ${Math.round(pure)} events/s`);
console.log(`with all promises in between: ${Math.round(drained)} events/s`);
console.log(
  `plain sorted array:           ${Math.round(plain)} events/s, ${(pure / plain).toFixed(1)} times less`,
);
console.log((await scenarioLines()).join('\n'));
console.log(`goal: scheduling alone, wanted at least ${goal}, met: ${pure >= goal ? 'yes' : 'NO'}`);
