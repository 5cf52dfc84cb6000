/** `muster sim` on several threads, as a user runs it: what comes of it does not depend on their number. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';

const resultSchema = z.object({
  runs: z.number(),
  events: z.number(),
  failures: z.array(z.object({ seed: z.number(), violation: z.object({ id: z.string() }) })),
  reachability: z.record(z.string(), z.number()),
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-sim-threads-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function sim(...args: readonly string[]) {
  const { stdout } = spawnSync('bin/muster', ['sim', '--json', '--keep', folder, ...args], {
    encoding: 'utf8',
  });
  return resultSchema.parse(JSON.parse(stdout));
}

it('makes the same runs on two threads as on one', () => {
  const asked = ['--seeds', '6', '--hours', '1', '--twice'];
  const alone = sim(...asked, '--workers', '1');
  expect(alone.runs).toBe(6);
  expect(sim(...asked, '--workers', '2')).toEqual(alone);
});

it('finds on two threads what it finds on one, in the order of the seeds', () => {
  const asked = ['--seeds', '4', '--hours', '1', '--bug', 'leaked-watch'];
  const broken = (workers: string) => sim(...asked, '--workers', workers).failures;
  expect(broken('2')).toEqual(broken('1'));
  expect(broken('2').length).toBeGreaterThan(1);
});

it.for([
  ['on threads', ['--seeds', '100000', '--workers', '2']],
  ['alone, in the run without faults', ['--seed', '1', '--hours', '100000']],
] as const)('ends when it is asked to, %s', async ([, args]) => {
  const child = spawn('bin/muster', ['sim', '--keep', folder, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text));
  child.stderr.setEncoding('utf8');
  // The title comes first, then the first line about how far it is.
  await once(child.stderr, 'data');
  await once(child.stderr, 'data');
  child.kill('SIGINT');
  await once(child, 'close');
  expect(said).toMatch(/^stopped early: /);
});
