import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { anyRandom, wallClock } from '../../test/wall-clock.ts';
import { kinds } from '../api/kinds.ts';
import { runProgram } from './program.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-up-test-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function up(...args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const status = await runProgram(['up', '--data', join(folder, 'data'), ...args], '1.2.3', {
    terminal: { out: (text) => void (out += text), err: (text) => void (err += text) },
    clock: wallClock,
    random: anyRandom,
    stopped: Promise.resolve(),
  });
  return { status, out, err };
}

it('starts the API with every kind of ours, and says how to use it', async () => {
  const { status, out, err } = await up();
  expect([status, err]).toEqual([0, '']);
  expect(kinds.filter((kind) => !out.includes(` ${kind.kind} `))).toEqual([]);
  expect(out).toContain(`export KUBECONFIG=${join(folder, 'data', 'kubeconfig')}`);
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
});

it('starts again on what it left, and tells scripts the same', async () => {
  await up();
  const { status, out } = await up('--json');
  const kubeconfig = join(folder, 'data', 'kubeconfig');
  const started: { kubernetesApi: string } = JSON.parse(out);
  expect(started).toMatchObject({ kubeconfig, kinds: kinds.map(({ kind }) => ({ kind })) });
  expect(JSON.parse(await readFile(kubeconfig, 'utf8'))).toMatchObject({
    clusters: [{ cluster: { server: started.kubernetesApi } }],
  });
  expect(status).toBe(0);
});

it('a folder that cannot be used is told in one line, with what to do', async () => {
  const { status, err } = await up('--data', '/dev/null/data');
  expect(status).toBe(1);
  expect(err).toMatch(/^error: [^\n]+\n$/);
});
