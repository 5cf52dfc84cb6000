/** The host controllers on the simulated cloud: short runs here, long runs by `npm run sim`. */
import { expect, it } from 'vitest';
import { runScenario } from '../../../harness/run-scenario.ts';
import { hosts } from './hosts.ts';

it('no Mac is lost, shared or handed on with files, under random faults', async () => {
  const { failures, runs } = await runScenario(hosts, { mode: 'swarm', hours: 6, count: 3 });
  expect([failures, runs]).toEqual([[], 3]);
});

/** In an hour of this seed hosts are adopted, released, swept, and one is given back. */
const busySeed = 5;

it('a crash around each write to the cloud ends as the clean run does', async () => {
  const order = { mode: 'crash-points', from: busySeed, hours: 1, about: /scaleway\// } as const;
  const { failures, runs } = await runScenario(hosts, order);
  expect(failures).toEqual([]);
  expect(runs).toBeGreaterThan(40);
});
