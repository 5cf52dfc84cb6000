/** Pods as real processes: they end, they are ended, and they outlive the agent that started them. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { wallClock } from '../../../../lab/harness/wall-clock.ts';
import { Secret } from '../../../platform/secret.ts';
import type { ContainerOrder, ContainerSignals, DriverPod, PodSandbox } from '../port.ts';
import { processDriver, removeOtherPods, type ProcessDriverOptions } from './process-driver.ts';

const pod: DriverPod = { name: 'a', namespace: 'ci', uid: 'uid-1', nodeName: 'mac-1', os: 'darwin' };
let folder: string;
let options: ProcessDriverOptions;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-driver-'));
  for (const name of ['programs', 'runner', 'pods']) await mkdir(join(folder, name));
  options = {
    folder: join(folder, 'pods'),
    clock: wallClock,
    programs: join(folder, 'programs'),
    runnerTemplate: join(folder, 'runner'),
    env: { PATH: process.env['PATH'] ?? '', NOTES: folder },
  };
});

afterEach(async () => {
  await removeOtherPods(options, new Set());
  await rm(folder, { recursive: true, force: true });
});

const order: ContainerOrder = {
  name: 'runner',
  image: 'vm',
  command: [],
  args: [],
  env: {},
  token: undefined,
};

async function program(text: string): Promise<void> {
  await writeFile(join(folder, 'programs', 'mac-session'), text);
}

function sandbox(): PodSandbox {
  return processDriver(options)(pod);
}

function signals() {
  const [term, kill, detach] = [new AbortController(), new AbortController(), new AbortController()];
  const all: ContainerSignals = { term: term.signal, kill: kill.signal, detach: detach.signal };
  return { all, term, kill, detach };
}

/** Resolves when the program has written this note. */
async function note(name: string): Promise<void> {
  await expect.poll(() => readFile(join(folder, name), 'utf8').catch(() => '')).not.toBe('');
}

it('ends with the exit code and the output of its program', async () => {
  await program('echo hello; exit 3');
  expect(await sandbox().run(order, signals().all)).toEqual({ exitCode: 3, log: 'hello\n' });
});

it('passes on all that its program printed before it ended', async () => {
  await program('echo first; sleep 0.3; echo last');
  let printed = '';
  options = { ...options, onOutput: (_pod, text) => void (printed += text) };
  await sandbox().run(order, signals().all);
  expect(printed).toBe('first\nlast\n');
});

it('passes TERM on to the program, which ends in its own way', async () => {
  await program('trap "exit 7" TERM; echo up > "$NOTES/up"; while :; do sleep 0.05; done');
  const { all, term } = signals();
  const running = sandbox().run(order, all);
  await note('up');
  term.abort();
  expect(await running).toMatchObject({ exitCode: 7 });
});

it('kills a program that ignores TERM, with everything that it started', async () => {
  await program('trap "" TERM; sleep 1000 & echo $! > "$NOTES/child"; wait; wait; sleep 1000');
  const { all, term, kill } = signals();
  const running = sandbox().run(order, all);
  await note('child');
  const child = Number(await readFile(join(folder, 'child'), 'utf8'));
  term.abort();
  kill.abort();
  expect(await running).toMatchObject({ exitCode: 137 });
  await expect.poll(() => isAlive(child)).toBe(false);
});

it('goes on when the agent ends, and the next agent attaches to it', async () => {
  await program(
    'echo begun >> "$NOTES/begun"; while [ ! -e "$NOTES/go" ]; do sleep 0.05; done; echo done; exit 4',
  );
  const first = signals();
  const before = sandbox();
  expect([before.isKnown, before.outlivesAgent]).toEqual([false, true]);
  const running = before.run(order, first.all);
  await note('begun');
  first.detach.abort();
  await running;
  const after = sandbox();
  expect(after.isKnown).toBe(true);
  const resumed = after.run(order, signals().all);
  await writeFile(join(folder, 'go'), '');
  expect(await resumed).toEqual({ exitCode: 4, log: 'done\n' });
  expect(await readFile(join(folder, 'begun'), 'utf8')).toBe('begun\n');
});

it('knows the exit code of a program that ended while no agent ran', async () => {
  await program('exit 5');
  const { all, detach } = signals();
  detach.abort();
  await sandbox().run(order, all);
  const exit = join(options.folder, pod.uid, 'containers', 'runner', 'exit');
  await expect.poll(() => readFile(exit, 'utf8').catch(() => '')).toBe('5\n');
  expect(await sandbox().run(order, signals().all)).toMatchObject({ exitCode: 5 });
});

it('does not start a program again whose process is gone without an exit code', async () => {
  await program('echo begun >> "$NOTES/begun"; kill -KILL $PPID $$');
  expect(await sandbox().run(order, signals().all)).toMatchObject({ exitCode: 137 });
  expect(await sandbox().run(order, signals().all)).toMatchObject({ exitCode: 137 });
  expect(await readFile(join(folder, 'begun'), 'utf8')).toBe('begun\n');
});

it('writes the token where the program of a Mac reads it, readable by its user alone', async () => {
  await program(
    'ls -l "$TUIST_GUEST_ROOT/Volumes/My Shared Files/env/sa_token" | cut -c1-10; cat "$TUIST_GUEST_ROOT/Volumes/My Shared Files/env/sa_token"',
  );
  const token = () => Promise.resolve(new Secret('canary'));
  const { log } = await sandbox().run({ ...order, token }, signals().all);
  expect(log).toBe('-r--------\ncanary');
});

it('takes the log that the guest left, but follows no link', async () => {
  await program('echo left > "$TUIST_GUEST_ROOT/Volumes/My Shared Files/status/runner.log"');
  expect(await sandbox().run(order, signals().all)).toMatchObject({ log: 'left\n' });
  await sandbox().close?.();
  await program('ln -s /etc/passwd "$TUIST_GUEST_ROOT/Volumes/My Shared Files/status/runner.log"');
  expect(await sandbox().run(order, signals().all)).toMatchObject({ log: '' });
});

it('ends and removes Pods that no longer exist', async () => {
  await program('echo $$ > "$NOTES/pid"; sleep 1000');
  const { all, detach } = signals();
  const running = sandbox().run(order, all);
  await note('pid');
  detach.abort();
  await running;
  await removeOtherPods(options, new Set());
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(sandbox().isKnown).toBe(false);
});

/** A process that nobody has waited for yet is dead all the same. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
