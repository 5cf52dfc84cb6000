/** The needed programs of a Linux image: the page for image builders, our image and the guest programs agree. */
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuestMachine } from './guest-machine.ts';
import { answered, ScriptedDispatch, served } from './scripted-dispatch.ts';
import { shellsHere } from './shells.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** The programs that the image build checks. */
const demanded = (
  /^RUN for program in (?<names>[^;]+);/m.exec(read('images/linux/Containerfile'))?.groups?.['names'] ?? ''
)
  .split(' ')
  .toSorted();

/** The programs in the Linux row of the page. */
const reported = [
  ...(
    /^\| Linux \| (?<cell>`[^/|]+`) +\|/m.exec(read('docs/runner-images.md'))?.groups?.['cell'] ?? ''
  ).matchAll(/`(\w+)`/g),
]
  .map(([, name = '']) => name)
  .toSorted();

/** Programs that every Linux has, as far as the guest programs use them. */
const everywhere = [
  'cat',
  'chmod',
  'date',
  'dirname',
  'head',
  'mkdir',
  'mv',
  'rm',
  'sh',
  'sleep',
  'tr',
  'uname',
];

it('the page lists the programs that the image checks', () => {
  expect(demanded).not.toEqual(['']);
  expect(reported).toEqual(demanded);
});

it.each(demanded)('%s is used', (name) => {
  const uses = ['dispatch-poll', 'run-runner', 'job-started.sh', 'guest.sh'].map((file) =>
    read(`src/guest/${file}`),
  );
  expect(uses.join('\n')).toMatch(new RegExp(`(^|[|(] ?|&& )\\s*${name} `, 'm'));
});

describe.each(shellsHere())('with nothing else, run by $name', (shell) => {
  let machine: GuestMachine;
  let dispatch: ScriptedDispatch;
  beforeEach(async () => {
    dispatch = await ScriptedDispatch.start();
    const where = execFileSync('which', [shell.command], { encoding: 'utf8' }).trim();
    machine = await GuestMachine.open({ ...shell, command: where });
  });
  afterEach(async () => {
    await machine.close();
    await dispatch.close();
  });

  /** A PATH with these programs only. */
  async function pathOf(programs: readonly string[]): Promise<string> {
    await mkdir(machine.at('bin'));
    const found = execFileSync('which', [...programs], { encoding: 'utf8' })
      .trim()
      .split('\n');
    for (const [i, name] of programs.entries()) await symlink(found[i] ?? '', machine.at(`bin/${name}`));
    return machine.at('bin');
  }

  it('polls for a job, and ends a runner without a job', async () => {
    dispatch.answers = [answered(204), served('QUJD')];
    await machine.write('var/run/secrets/tuist-runner/token', 'a.token');
    await machine.write('home/runner/run.sh', '#!/bin/sh\nexec sleep 1000\n', 0o755);
    const env = {
      PATH: await pathOf([...everywhere, ...demanded]),
      TUIST_RUNNER_DISPATCH_URL: dispatch.url,
      TUIST_RUNNER_POLL_INTERVAL_SECONDS: '0',
      TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '1',
      TUIST_RUNNER_WORKER_NAME: 'NoSuch.Worker',
      TUIST_RUNNER_HOME: machine.at('home/runner'),
    };
    const poller = machine.run('dispatch-poll', env);
    expect(await poller.ended(), poller.lines.join('\n')).toBe(0);
    const runner = machine.run('run-runner', env);
    expect(await runner.ended()).toBe(143);
    expect([...poller.lines, ...runner.lines].filter((line) => line.includes('not found'))).toEqual([]);
  });
});
