import { expect, it } from 'vitest';
import { runAll, type Steps } from '../../scripts/run-all.ts';
import { prepareReferences, type Seated } from '../../scripts/prepare-references.ts';
import { programNamed } from '../reference/programs.ts';

const good = { passed: 2, failed: 0, skipped: 1 };
const seat = (): Promise<Seated> => Promise.resolve({ ready: [], absent: ['helm: no Go'] });

async function run(steps: Partial<Steps>): Promise<{ status: number; printed: string }> {
  const printed: string[] = [];
  const status = await runAll({
    mode: 'auto',
    check: () => [good],
    seat: () => Promise.resolve({ ready: [], absent: [] }),
    suites: () => ({ tally: good, report: undefined, times: {} }),
    keep: () => undefined,
    print: (text) => printed.push(text),
    ...steps,
  });
  return { status, printed: printed.join('\n') };
}

it('counts checks and suites, and ends with the closing line', async () => {
  expect(await run({})).toEqual({ status: 0, printed: '4 passed, 0 failed, 2 skipped' });
});

it.for([
  ['check', { check: () => [{ passed: 0, failed: 1, skipped: 0 }] }],
  [
    'suite',
    { suites: () => ({ tally: { passed: 0, failed: 1, skipped: 0 }, report: undefined, times: {} }) },
  ],
] as const)('a failed %s makes the status 1', async ([, steps]) => {
  expect(await run(steps)).toMatchObject({ status: 1, printed: expect.stringContaining(', 1 failed, ') });
});

it('prints the slowest files before the closing line, and keeps the times of all', async () => {
  const kept: unknown[] = [];
  const times = { 'a.test.ts': 1, 'b.test.ts': 20 };
  const { printed } = await run({
    suites: () => ({ tally: good, report: undefined, times }),
    keep: (all) => kept.push(all),
  });
  expect(printed.split('\n').slice(1)).toEqual([
    'The slowest test files:',
    '   20.0 s  b.test.ts',
    '    1.0 s  a.test.ts',
    '4 passed, 0 failed, 2 skipped',
  ]);
  expect(kept).toEqual([times]);
});

it('an absent reference program is named, and counts only where reference programs are required', async () => {
  const auto = await run({ seat });
  expect(auto).toEqual({
    status: 0,
    printed: '\nNOT COMPARED with:\n  helm: no Go\n\n4 passed, 0 failed, 2 skipped',
  });
  const required = await run({ seat, mode: 'require' });
  expect(required).toMatchObject({
    status: 1,
    printed: expect.stringContaining('4 passed, 1 failed, 2 skipped'),
  });
});

it('without reference programs each is reported as absent, with the reason', async () => {
  const programs = [programNamed('etcd'), programNamed('helm')];
  expect(await prepareReferences('off', { env: {}, programs })).toEqual({
    ready: [],
    absent: ['etcd: MUSTER_REAL=off', 'helm: MUSTER_REAL=off'],
  });
  const said: string[] = [];
  const env = { PATH: '/nowhere', MUSTER_CACHE: '/nowhere' };
  const { ready, absent } = await prepareReferences('auto', {
    env,
    programs: [programNamed('etcd')],
    print: (text) => said.push(text),
  });
  expect(ready).toEqual([]);
  expect(absent).toEqual([expect.stringMatching(/^etcd: /)]);
  expect(said.join('\n')).toContain('MISSING reference etcd');
});
