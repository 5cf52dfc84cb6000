/** Uploads through the real scripts and a shell of this machine, without a network. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { piecesOf } from './command-channel.ts';
import { fileSource } from './file-source.ts';
import type { SshConnection, UploadOrder, UploadSource } from './port.ts';
import { frameScript, launcher } from './script-launcher.ts';
import { upload } from './upload.ts';

let folder = '';
let runs: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upload-'));
  mkdirSync(join(folder, 'host'));
  writeFileSync(join(folder, 'local'), 'the agent\n');
  runs = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs scripts here; `cut` shortens what arrives. */
function shell(cut = (bytes: Buffer): Buffer => bytes): Pick<SshConnection, 'run'> {
  return {
    run: async (script, { name, stdin }) => {
      runs.push(name);
      const pieces: Uint8Array[] = [];
      for await (const piece of piecesOf(stdin)) pieces.push(piece);
      const input = Buffer.concat([frameScript(script), cut(Buffer.concat(pieces))]);
      const ended = spawnSync('/bin/sh', ['-c', launcher], { input });
      if (ended.status !== 0) throw new Error(ended.stderr.toString());
      const droppedBytes = { stdout: 0, stderr: 0 };
      return { exitCode: 0, stdout: `motd\n${String(ended.stdout)}`, stderr: '', droppedBytes };
    },
  };
}

const target = (): string => join(folder, 'host', "the 'agent' $1");
const send = async (more: Partial<UploadOrder> = {}, connection = shell()): Promise<string> => {
  const order = { path: target(), mode: '0755', deadlineMs: 60_000, ...more };
  const source = more.source ?? (await fileSource(join(folder, 'local')));
  return upload(connection, { ...order, source }, { clock: new TestClock(0), host: 'mac:22' });
};

it('writes a file once, with its mode, and leaves nothing else behind', async () => {
  expect(await send()).toBe('uploaded');
  expect(readFileSync(target(), 'utf8')).toBe('the agent\n');
  expect(statSync(target()).mode & 0o777).toBe(0o755);
  expect(readdirSync(join(folder, 'host'))).toEqual(["the 'agent' $1"]);
  const inode = statSync(target()).ino;
  expect(await send()).toBe('unchanged');
  expect(statSync(target()).ino).toBe(inode);
  expect(runs).toEqual(['comparison', 'upload', 'comparison'].map((name) => `the ${name} of ${target()}`));
});

it.each([
  ['other content of the same size', () => writeFileSync(target(), 'the AGENT\n', { mode: 0o755 })],
  ['more content', () => writeFileSync(target(), 'the agent\n\n', { mode: 0o755 })],
  ['another mode', () => chmodSync(target(), 0o700)],
  ['a link', () => (rmSync(target()), symlinkSync(join(folder, 'local'), target()))],
])('replaces %s with a new file', async (_, spoil) => {
  await send();
  spoil();
  const inode = statSync(target()).ino;
  chmodSync(join(folder, 'local'), 0o755);
  expect(await send()).toBe('uploaded');
  expect(readFileSync(target(), 'utf8')).toBe('the agent\n');
  expect(statSync(target()).ino).not.toBe(inode);
});

it.each([
  ['broke off', (bytes: Buffer) => bytes.subarray(0, -1)],
  ['changed', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -2), Buffer.from('!\n')])],
])('keeps the old file where the content %s on its way', async (_, cut) => {
  writeFileSync(target(), 'old');
  const spoiling = shell((bytes) => (bytes.includes('the agent') ? cut(bytes) : bytes));
  await expect(send({}, spoiling)).rejects.toThrow('arrived incomplete or damaged');
  expect(readFileSync(target(), 'utf8')).toBe('old');
  expect(readdirSync(join(folder, 'host'))).toHaveLength(1);
});

it('refuses a folder as the target', async () => {
  mkdirSync(target());
  await expect(send()).rejects.toThrow('the target of the upload is a folder');
});

it('does not believe an exit code alone', async () => {
  const silent = { exitCode: 0, stdout: '', stderr: '', droppedBytes: { stdout: 0, stderr: 0 } };
  await expect(send({}, { run: async () => silent })).rejects.toMatchObject({ reason: 'SSHCommandFailed' });
});

it.each([{ path: 'relative' }, { path: '/two\nlines' }, { mode: '755' }, { mode: '0999' }])(
  'refuses the order %j',
  async (order) => {
    await expect(send(order)).rejects.toThrow('not a');
    expect(runs).toEqual([]);
  },
);

it('counts its deadline over both steps', async () => {
  const clock = new TestClock(0);
  const limits: number[] = [];
  const connection: Pick<SshConnection, 'run'> = {
    run: async (_script, { deadlineMs }) => {
      limits.push(deadlineMs);
      await clock.pass(20_000);
      const stdout = `muster-upload ${limits.length === 1 ? 'needed' : 'done'}`;
      return { exitCode: 0, stdout, stderr: '', droppedBytes: { stdout: 0, stderr: 0 } };
    },
  };
  const source: UploadSource = { size: 0, sha256: '', open: async function* () {} };
  const order = { source, path: '/target', mode: '0644', deadlineMs: 60_000 };
  await upload(connection, order, { clock, host: 'mac:22' });
  expect(limits).toEqual([60_000, 40_000]);
});
