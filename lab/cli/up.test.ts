import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { anyRandom, wallClock } from '../harness/wall-clock.ts';
import { kinds } from '../../src/api/kinds/kinds.ts';
import { runProgram } from '../../src/cli/program.ts';
import { labCommands } from './commands.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-up-test-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Waits until this text is printed; an empty text stops as soon as everything is up. */
async function up(until: string, ...args: readonly string[]): Promise<Ran> {
  let [out, err] = ['', ''];
  const stopped = Promise.withResolvers<void>();
  const hear = (text: string): void => {
    out += text;
    if (out.includes(until)) stopped.resolve();
  };
  const data = args.includes('--data') ? [] : ['--data', join(folder, 'data')];
  const status = await runProgram(['up', ...data, ...args], '1.2.3', {
    labCommands: labCommands(),
    terminal: { out: hear, err: (text) => void (err += text) },
    clock: wallClock,
    random: anyRandom,
    stopped: stopped.promise,
  });
  return { status, out, err };
}

it('starts a fleet that gets its hosts, and starts again on the leftovers of the first start', async () => {
  // A host may report its owner after its machine reports Ready.
  const isServed = 'hosts 8: 5 Pooled, 3 Owned; machines 3: 3 Ready; audit holds';
  for (const round of ['first', 'second']) {
    const { status, out, err } = await up(isServed, '--no-jobs');
    expect([round, status, err]).toEqual([round, 0, '']);
    expect(out).not.toMatch(/stranded|Broken|Gone/);
  }
});

it('without PostgreSQL it prints a line, and runs without jobs', async () => {
  const { status, out, err } = await up('machines 3');
  expect([status, err]).toEqual([0, 'running no jobs: npm has no PostgreSQL for this machine\n']);
  expect(out).not.toMatch(/GitHub|jobs/);
});

it('prints how to connect, and keeps its key private', async () => {
  const { out } = await up('');
  expect(out).toContain(`export KUBECONFIG=${join(folder, 'data', 'kubeconfig')}`);
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
});

it('without the demo all hosts are free', async () => {
  const isFree = 'hosts 8: 8 Pooled; machines 0; audit holds';
  expect(await up(isFree, '--no-demo')).toMatchObject({ status: 0, err: '' });
});

it('prints JSON for scripts, and nothing else', async () => {
  const { status, out } = await up('', '--json');
  const kubeconfig = join(folder, 'data', 'kubeconfig');
  const started: { kubernetesApi: string } = JSON.parse(out);
  expect(started).toMatchObject({ kubeconfig, kinds: kinds.map(({ kind }) => ({ kind })), hosts: 8 });
  expect(JSON.parse(await readFile(kubeconfig, 'utf8'))).toMatchObject({
    clusters: [{ cluster: { server: started.kubernetesApi } }],
  });
  expect(status).toBe(0);
});

it('reports an unusable folder in one line, with a remedy', async () => {
  const { status, err } = await up('', '--data', '/dev/null/data');
  expect(status).toBe(1);
  expect(err).toMatch(/^error: [^\n]+\n$/);
});
