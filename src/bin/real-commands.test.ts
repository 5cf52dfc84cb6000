/** Real commands: small scripts that print, fail, hang, and outlive their parent process. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../lab/harness/test-clock.ts';
import type { Command } from '../hosts/provider/static/wipe-command.ts';
import { realCommands } from './real-commands.ts';
import { realClock } from './real-ports.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'commands-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function script(...lines: readonly string[]): Promise<string> {
  const path = join(dir, 'script');
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
  return path;
}

function commandFor(command: string, more: Partial<Command> = {}): Command {
  const { signal: stop } = new AbortController();
  return { command, args: [], env: {}, deadlineMs: 600_000, stop, onOutput: () => undefined, ...more };
}

/** A script that hangs with a child process; `over` resolves when both have ended. */
async function hanging() {
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const held = createReadStream(pipe).resume();
  const command = await script(`exec 3>'${pipe}'`, 'sleep 1000 &', 'echo started', 'wait');
  return { command, over: once(held, 'end') };
}

it('passes the environment without a shell, and forwards both outputs', async () => {
  let said = '';
  const command = await script('printf "%s|" "$#" "$HOST_NAME"', 'printf "careful|" >&2');
  const env = { HOST_NAME: '$(id); a "b"' };
  await realCommands(realClock)(commandFor(command, { env, onOutput: (text) => void (said += text) }));
  // The two pipes are read in any order.
  expect(said.split('|').toSorted()).toEqual(['', '$(id); a "b"', '0', 'careful'].toSorted());
});

it.for([
  ['exit 7', 'it ended with 7'],
  ['kill -9 $$', 'it was ended by SIGKILL'],
] as const)('rejects a command that does %j', async ([line, message]) => {
  await expect(realCommands(realClock)(commandFor(await script(line)))).rejects.toThrow(message);
});

it('reports a missing program', async () => {
  await expect(realCommands(realClock)(commandFor(join(dir, 'none')))).rejects.toThrow('no such program');
});

it('ends a command that takes too long, with its children', async () => {
  const clock = new TestClock(0);
  const { command, over } = await hanging();
  const started = Promise.withResolvers<void>();
  const reported = realCommands(clock)(
    commandFor(command, { deadlineMs: 5000, onOutput: () => started.resolve() }),
  ).catch(String);
  await started.promise;
  await clock.pass(5000);
  expect(await reported).toBe('Error: it took longer than 5 s');
  await over;
});

it('ends a command at the stop signal, with its children, and starts none afterwards', async () => {
  const stopping = new AbortController();
  const { command, over } = await hanging();
  const onOutput = (): void => stopping.abort();
  const given = commandFor(command, { stop: stopping.signal, onOutput });
  await expect(realCommands(realClock)(given)).rejects.toThrow('it was interrupted');
  await over;
  await expect(realCommands(realClock)(given)).rejects.toThrow('about to end');
});

it('a command does not outlive a process that exits by itself', async () => {
  const { command, over } = await hanging();
  const path = (name: string): string => JSON.stringify(join(import.meta.dirname, name));
  const given = `{ command: ${JSON.stringify(command)}, args: [], env: {}, deadlineMs: 600000,
    stop: new AbortController().signal, onOutput: () => process.exit(5) }`;
  const code = `import { realCommands } from ${path('real-commands.ts')};
    import { realClock } from ${path('real-ports.ts')};
    await realCommands(realClock)(${given});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([5, null]);
  await over;
});
