/** Real programs: small scripts that print, write to standard error, fail, hang, and print without end. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { readKubeconfig } from '../kube/client/kubeconfig.ts';
import { realClock } from './real-ports.ts';
import { realPrograms, type ProgramLimits } from './real-programs.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'programs-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

async function script(...lines: readonly string[]): Promise<string> {
  const path = join(dir, 'script');
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
  return path;
}

const quiet: ProgramLimits = { clock: realClock, onComplaint: () => undefined };

it('returns the output, with verbatim arguments and the added environment', async () => {
  vi.stubEnv('MUSTER_TEST_OWN', 'd');
  const command = await script('printf "%s|" "$@" "$ADDED" "$MUSTER_TEST_OWN"');
  const program = { command, args: ['a b', '$(id)', ';'], env: { ADDED: 'c' } };
  expect(await realPrograms(quiet)(program)).toBe('a b|$(id)|;|c|d|');
});

it('forwards standard error separately from the output', async () => {
  const reported: string[] = [];
  const command = await script('echo careful >&2', 'echo done');
  const run = realPrograms({ ...quiet, onComplaint: (who, text) => void reported.push(`${who}: ${text}`) });
  expect(await run({ command, args: [], env: {} })).toBe('done\n');
  expect(reported).toEqual([`${command}: careful\n`]);
});

it('reports the exit code of a failed program without its output', async () => {
  const command = await script('echo canary', 'exit 7');
  const error: unknown = await realPrograms(quiet)({ command, args: [], env: {} }).catch(String);
  expect(error).toBe('Error: it ended with 7');
});

it('reports a missing program', async () => {
  const run = realPrograms(quiet);
  await expect(run({ command: join(dir, 'none'), args: [], env: {} })).rejects.toThrow('no such program');
});

it('ends a hanging program at the timeout, with its children', async () => {
  const clock = new TestClock(0);
  const started = Promise.withResolvers<void>();
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // The pipe ends when the last process that holds its other end has ended.
  const held = createReadStream(pipe).resume();
  const over = once(held, 'end');
  const command = await script(`exec 3>'${pipe}'`, 'sleep 1000 &', 'echo started >&2', 'wait');
  const run = realPrograms({ clock, onComplaint: () => started.resolve(), timeoutMs: 5000 });
  const reported = run({ command, args: [], env: {} }).catch(String);
  await started.promise;
  await clock.pass(4999);
  expect(held.readableEnded).toBe(false);
  await clock.pass(1);
  expect(await reported).toBe('Error: it took longer than 5 s');
  await over;
});

it('ends a program that prints without end', async () => {
  const command = await script('yes');
  const run = realPrograms({ ...quiet, bytesMax: 1000 });
  await expect(run({ command, args: [], env: {} })).rejects.toThrow('it printed more than 1000 bytes');
});

it('reads a kubeconfig whose credentials come from a script beside it', async () => {
  await script(
    `version=$(printf '%s' "$KUBERNETES_EXEC_INFO" | sed 's/.*"apiVersion":"\\([^"]*\\)".*/\\1/')`,
    `echo '{"kind":"ExecCredential","apiVersion":"'"$version"'","status":{"token":"for-'"$1"'"}}'`,
  );
  const file = join(dir, 'kubeconfig');
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    command: './script',
    args: ['kube'],
  };
  await writeFile(
    file,
    JSON.stringify({
      'current-context': 'main',
      clusters: [{ name: 'c', cluster: { server: 'https://kube.example:6443' } }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
    }),
  );
  const { credentials } = await readKubeconfig(
    { file },
    {
      readFile: (path) => readFile(path, 'utf8'),
      runProgram: realPrograms(quiet),
      now: () => realClock.now(),
    },
  );
  expect((await credentials.current()).token?.reveal()).toBe('for-kube');
});
