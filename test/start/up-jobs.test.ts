/** `muster up` as a process: jobs are run on both platforms, and whatever ends it, nothing is left of it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const muster = fileURLToPath(new URL('../../bin/muster', import.meta.url));
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-up-jobs-'));
  // As root the database runs as somebody else, who must be able to go through.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'tmp'), { mode: 0o1777 });
  await chmod(join(folder, 'tmp'), 0o1777);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function start() {
  const child = spawn(muster, ['up', '--data', join(folder, 'data')], {
    env: { ...process.env, TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (seen.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (seen.err += text));
  return { child, seen };
}

/** Whatever was started knows the folder by its environment. */
async function processesHere(): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const texts = await Promise.all(
        ['environ', 'cmdline'].map((name) => readFile(`/proc/${id}/${name}`, 'utf8').catch(() => '')),
      );
      return texts.some((text) => text.includes(folder)) ? [id] : [];
    }),
  );
  return found.flat();
}

/** As a person asks who was told where the jobs are kept. */
async function accountsAt(MUSTER_DATABASE_URL = ''): Promise<string> {
  const env = { ...process.env, MUSTER_DATABASE_URL };
  return (await promisify(execFile)(muster, ['accounts'], { env })).stdout;
}

const isOver = (platform: string): RegExp => new RegExp(`job \\d+ for ${platform} is over .*: success on`);

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a job is done on Linux and on a Mac, and after %s neither a process nor a folder is left',
  async (signal) => {
    const { child, seen } = start();
    const patience = { timeout: 300_000, interval: 100 };
    await expect.poll(() => seen.out, patience).toMatch(isOver('demo-linux'));
    await expect.poll(() => seen.out, patience).toMatch(isOver('demo-macos'));
    await expect
      .poll(() => seen.out, patience)
      .toMatch(/pools linux 3 .*; jobs \d+ queued, .* [1-9]\d* done/);
    expect(await accountsAt(/MUSTER_DATABASE_URL='([^']+)'/.exec(seen.out)?.[1])).toContain('demo-org');
    const dispatch = /curl (http:\S+\/openapi\.json)/.exec(seen.out)?.[1] ?? '';
    expect(await (await fetch(dispatch)).json()).toMatchObject({ openapi: '3.1.0' });
    expect((await processesHere()).length).toBeGreaterThan(5);
    const ended = once(child, 'exit');
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
    expect(seen.err).toBe('');
    expect(await processesHere()).toEqual([]);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  },
);
