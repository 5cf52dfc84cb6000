import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyRandom } from '../harness/wall-clock.ts';
import { runProgram } from '../../src/cli/program.ts';
import { labCommands } from './commands.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-sim-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function sim(...args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  let [out, err, now] = ['', '', 0];
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  // Each read of the clock is half a second later: progress is printed, and the speed of the machine does not matter.
  const clock = {
    now: () => (now += 500),
    after: (_ms: number, then: () => void) => {
      const round = setImmediate(then);
      return () => clearImmediate(round);
    },
  };
  const status = await runProgram(['sim', ...args], '1.2.3', {
    labCommands: labCommands(),
    terminal,
    clock,
    random: anyRandom,
    stopped: new Promise(() => undefined),
  });
  return { status, out, err };
}

const resultSchema = z.object({
  runs: z.number(),
  failures: z.array(z.object({ violation: z.object({ id: z.string() }), file: z.string().optional() })),
  neverHappened: z.array(z.string()),
});

describe('muster sim', () => {
  it('runs seeds, prints progress, and reports that no invariant broke', async () => {
    const { status, out, err } = await sim('--seeds', '4', '--hours', '0.5', '--keep', folder);
    expect(status).toBe(0);
    expect(out).toMatch(
      /^4 runs, 2 virtual hours, \d+ events in \d+\.\d s\n1 of them made twice, with the same hash\n/,
    );
    expect(out).toContain('\nno invariant was broken\n');
    expect(out).toContain('\nnever happened: fault ');
    expect(err).toMatch(
      /^counter: .*; swarm, from seed 1\n(\d+ runs, \d+\.\d runs\/s, \d+ events\/s, 0 failed\n)+$/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fails with --everything when something never happened', async () => {
    const { status, err } = await sim('--seeds', '1', '--hours', '0.1', '--everything', '--keep', folder);
    expect(status).toBe(1);
    expect(err).toMatch(/\d+ things never happened, so the runs prove nothing about them\n$/);
  });

  it('prints a failure with its seed, its few faults, its last lines and how to replay it', async () => {
    const { status, out, err } = await sim(
      '--bug',
      'double-count',
      '--seeds',
      '8',
      '--hours',
      '6',
      '--keep',
      folder,
    );
    expect(status).toBe(1);
    expect(out).toMatch(
      /^seed \d+ broke sum after \dh\d\dm\S+s: the sum is \d+, but the workers have counted \d+\n/,
    );
    expect(out).toMatch(
      /\nfaults until then: \d+; enough to break it, found in \d+ tries: [1-3]\n {2}on worker-[ab]\/kube\//,
    );
    expect(out).toMatch(/\nthe last 40 lines:\n( {2}.*\n){39} {2}.* !! +sum +the sum is/);
    expect(err).toMatch(/error: \d+ of 8 runs broke an invariant\n$/);
    // Printed at once, and once: during the shrinking, and in the runs after it.
    expect(err).toMatch(/\n(seed \d+) broke sum after .*\n(\d+ runs, .* [1-9]\d* failed\n){2,}error: /);
    expect(err.match(/ broke sum /g)).toHaveLength(1);
    const [file = ''] = readdirSync(folder);
    expect(out).toContain(`replay: bin/muster sim --replay ${join(folder, file)}\n`);
    const again = await sim('--replay', join(folder, file), '--keep', folder);
    expect(again.status).toBe(1);
    expect(again.out.split('\n')[0]).toBe(out.split('\n')[0]);
  });

  it('prints the result as JSON alone', async () => {
    const { status, out, err } = await sim(
      '--json',
      '--seed',
      '3',
      '--hours',
      '0.5',
      '--bug',
      'leaked-watch',
      '--keep',
      folder,
    );
    const result = resultSchema.parse(JSON.parse(out));
    expect([status, err]).toEqual([1, 'error: 1 of 1 runs broke an invariant\n']);
    expect(result.runs).toBe(1);
    expect(result.failures.map(({ violation }) => violation.id)).toEqual(['leak']);
    const plan: unknown = JSON.parse(readFileSync(result.failures[0]?.file ?? '', 'utf8'));
    expect(plan).toMatchObject({ scenario: 'counter', seed: 3, hours: 0.5, bug: 'leaked-watch' });
  });

  it('prints the transcript of each script', async () => {
    const { status, out } = await sim('--mode', 'scripted');
    expect(status).toBe(0);
    expect(out).toContain('script paused-writer:\n');
    expect(out).toMatch(/worker-a#1 +pauses\n/);
  });

  it('runs a story, and succeeds when every expectation holds', async () => {
    const { status, out, err } = await sim('--scenario', 'hosts', '--story', 'force-delete');
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^A machine is deleted by force\n\n +00:00 /);
    expect(out).toMatch(/ 01:00 +\* +as expected: host mini-1 is Pooled\n/);
  });

  it('runs a story in a file until a failed expectation, and fails', async () => {
    const file = join(folder, 'mine.txt');
    writeFileSync(
      file,
      '# Mine\nhost mini-1\nat 5m\n  expect host mini-1 is Owned\nat 6m\n  remove mini-1\n',
    );
    const { status, out, err } = await sim('--story', file);
    expect(status).toBe(1);
    expect(out).toMatch(/expect host mini-1 is Owned, but it is Pooled, Pooled\n$/);
    expect(err).toContain('error: the story broke expect: line 4, "expect host mini-1 is Owned"');
  });

  it('explains itself', async () => {
    const { status, out } = await sim('--help');
    expect(status).toBe(0);
    for (const word of [
      '--scenario',
      '--seeds',
      '--from',
      '--hours',
      '--mode',
      '--seed',
      '--replay',
      '--story',
      '--json',
      '--bug',
    ])
      expect(out).toContain(word);
  });
});

describe('muster sim refuses', () => {
  it.for([
    [
      ['--seeds', '0'],
      "option '--seeds <count>' argument '0' is invalid. It must be a whole number, at least 1.",
    ],
    [['--seeds', '1.5'], 'It must be a whole number'],
    [['--seed', '-1'], 'It must be a whole number, at least 0.'],
    [['--from', '99999999999999999999'], 'It must be a whole number'],
    [['--hours', '0'], 'It must be a number above 0'],
    [['--hours', 'soon'], 'It must be a number above 0'],
    [['--mode', 'wild'], 'Allowed choices are swarm, crash-points, stale-view, liveness, soak, scripted.'],
    [['--keep', ''], 'It needs the name of a folder.'],
  ] as const)('%j with 64', async ([args, message]) => {
    const { status, err } = await sim(...args);
    expect(status).toBe(64);
    expect(err).toContain(message);
  });

  it.for([
    [
      ['--scenario', 'mars'],
      'error: there is no scenario mars; there are: counter, sample, hosts, runners\n',
    ],
    [['--bug', 'typo'], 'error: counter has no mistake typo; it has: lost-update (a worker writes without'],
    [['--seed', '1', '--seeds', '2'], 'error: --seed is one seed alone'],
    [
      ['--replay', 'x.json', '--seed', '1'],
      'error: --replay takes everything from its file; leave out --seed\n',
    ],
    [['--story', 'moon'], 'error: there is no story moon; there are: a-person-sets-up-a-host, '],
    [
      ['--story', 'roll', '--seed', '1', '--bug', 'x'],
      'error: --story has all it needs; leave out --seed, --bug\n',
    ],
    [['--story', 'roll', '--scenario', 'counter'], 'error: counter has no stories'],
    [['--replay', '/nowhere/x.json'], 'error: the plan in /nowhere/x.json cannot be used: ENOENT'],
  ] as const)('%j with 1', async ([args, message]) => {
    const { status, err } = await sim(...args);
    expect(status).toBe(1);
    expect(err).toContain(message);
  });

  it('reports faults of a plan that did not happen', async () => {
    const file = join(folder, 'plan.json');
    const fault = { on: 'worker-z/kube/update configmaps#1', fault: { kind: 'refused' } };
    writeFileSync(file, JSON.stringify({ scenario: 'counter', seed: 1, hours: 0.1, faults: [fault] }));
    const { status, err } = await sim('--replay', file, '--keep', folder);
    expect([status, err]).toEqual([0, expect.stringContaining('1 of its 1 faults did not happen')]);
  });

  it('an invalid plan', async () => {
    const file = join(folder, 'plan.json');
    writeFileSync(file, '{"scenario":"counter"}');
    const { status, err } = await sim('--replay', file);
    expect(status).toBe(1);
    expect(err).toContain(`error: the plan in ${file} cannot be used: ✖ Invalid input: expected number`);
  });
});
