/** A virtual Mac from its start to its power-off, as far as a test without a Mac can check. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuestMachine, type GuestProgram } from './guest-machine.ts';
import { answered, ScriptedDispatch, served } from './scripted-dispatch.ts';
import { shellsHere } from './shells.ts';

const share = 'Volumes/My Shared Files/env';
const status = 'Volumes/My Shared Files/status';
/** Variable names that the session, or a file that it reads, uses itself. */
const ownNames = [
  ...['shutdown', 'status_share', 'log', 'sudo', 'environment', 'here', 'guest_root'].map(
    (n) => `${n}=/nowhere`,
  ),
  'log_max_bytes=none',
  'session_status=77',
  'ended_with=78',
  'child=1',
  'must_end=yes',
  'IFS=/',
];
const noRoot = { TUIST_ENV_OWNER: '', TUIST_SUDO: '' };

describe.each(shellsHere())('mac-session, run by $name', (shell) => {
  let machine: GuestMachine;
  let dispatch: ScriptedDispatch;
  beforeEach(async () => {
    machine = await GuestMachine.open(shell);
    dispatch = await ScriptedDispatch.start();
    await machine.write('shutdown', `#!/bin/sh\nprintf '%s ' "$@" >>'${machine.at('off')}'\n`, 0o755);
    await machine.write(`${status}/.keep`, '');
    await machine.write('Users/runner/.keep', '');
  });
  afterEach(async () => {
    await machine.close();
    await dispatch.close();
  });

  /** Lines that the host shares beside the address of dispatch. */
  let shared: readonly string[] = [];
  beforeEach(() => {
    shared = [];
  });

  async function session(
    lines: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<GuestProgram> {
    const reported = [`TUIST_RUNNER_DISPATCH_URL=${dispatch.url}`, ...shared];
    await machine.write(`${share}/tuist.env`, reported.map((line) => `${line}\n`).join(''));
    await machine.write(`${share}/sa_token`, 'a.token');
    await machine.write('runner/run.sh', ['#!/bin/sh', ...lines, ''].join('\n'), 0o755);
    return begin(env);
  }

  function begin(env: Readonly<Record<string, string>> = {}): GuestProgram {
    return machine.run('mac-session', {
      ...noRoot,
      TUIST_SHUTDOWN: machine.at('shutdown'),
      TUIST_RUNNER_HOME: machine.at('runner'),
      TUIST_RUNNER_POLL_INTERVAL_SECONDS: '0',
      ...env,
    });
  }

  async function ending() {
    const read = (path: string): Promise<string> => readFile(machine.at(path), 'utf8');
    return {
      code: Number(await read(`${status}/runner-rc`)),
      off: await read('off'),
      log: await read(`${status}/runner.log`),
    };
  }

  it.each([0, 5])('polls for a job, runs it, reports its end %i, and powers off', async (code) => {
    dispatch.answers = [answered(204), served('QUJD')];
    const program = await session([`echo "working with $2"`, `exit ${code}`]);
    expect(await program.ended()).toBe(code);
    expect(await ending()).toMatchObject({
      code,
      off: '-h now ',
      log: expect.stringContaining('working with QUJD'),
    });
    expect(dispatch.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer a.token',
      'Bearer a.token',
    ]);
  });

  it('a drained Mac powers off without a job', async () => {
    dispatch.answers = [answered(410)];
    expect(await (await session(['exit 9'])).ended()).toBe(0);
    expect(await ending()).toMatchObject({ code: 0, off: '-h now ' });
  });

  it('a refused Mac powers off', async () => {
    dispatch.answers = [answered(401)];
    await (await session(['exit 9'])).ended();
    expect(await ending()).toMatchObject({ code: 1, off: '-h now ' });
  });

  it('a Mac without shared files powers off', async () => {
    await begin().ended();
    expect(await ending()).toMatchObject({
      code: 1,
      off: '-h now ',
      log: expect.stringContaining('there is no'),
    });
  });

  it('a Mac without a token powers off', async () => {
    await machine.write(`${share}/tuist.env`, `TUIST_RUNNER_DISPATCH_URL=${dispatch.url}\n`);
    await begin().ended();
    expect(await ending()).toMatchObject({ code: 1, off: '-h now ' });
    expect(dispatch.asked).toEqual([]);
  });

  it('a Mac without a status folder powers off', async () => {
    await machine.write('Volumes/My Shared Files/other', '');
    execFileSync('rm', ['-r', machine.at(status)]);
    await begin().ended();
    expect(await readFile(machine.at('off'), 'utf8')).toBe('-h now ');
  });

  /** Like a call of sudo: with an argument before the program. */
  async function asRoot(): Promise<Readonly<Record<string, string>>> {
    await machine.write('sudo', '#!/bin/sh\n[ "$1" = -n ] || exit 99\nshift\nexec "$@"\n', 0o755);
    return { TUIST_SUDO: `${machine.at('sudo')} -n` };
  }

  it.each([
    ['runs a job', served('QUJD'), 5],
    ['is drained', answered(410), 0],
    ['is refused', answered(401), 1],
  ] as const)(
    'a Mac that %s reports its end and powers off, under any shared variables',
    async (_, answer, code) => {
      dispatch.answers = [answer];
      shared = ownNames;
      const program = await session(['echo "shared: $shutdown $log"', 'exit 5'], await asRoot());
      expect(await program.ended()).toBe(code);
      const { log, ...end } = await ending();
      expect(end).toEqual({ code, off: '-h now ' });
      expect(log.includes('shared: /nowhere /nowhere')).toBe(code === 5);
    },
  );

  it('a Mac whose PATH is broken reports its end and powers off', async () => {
    shared = ['PATH=/nowhere'];
    const program = await session(['exit 0'], await asRoot());
    expect(await program.ended()).not.toBe(0);
    const { code, off } = await ending();
    expect(code).not.toBe(0);
    expect(off).toBe('-h now ');
  });

  it('sets up the cluster DNS before the first poll', async () => {
    dispatch.answers = [
      async (response, asked) => {
        const file = machine.at('etc/resolver/cluster.local');
        resolver = existsSync(file) ? await readFile(file, 'utf8') : 'none';
        await answered(410)(response, asked);
      },
    ];
    let resolver = '';
    shared = ['TUIST_CLUSTER_DNS_IP=10.0.0.10', 'TUIST_CLUSTER_DOMAIN=cluster.local'];
    expect(await (await session([], await asRoot())).ended()).toBe(0);
    expect(resolver).toBe('nameserver 10.0.0.10\n');
  });

  it('a failed cluster DNS setup does not prevent the job', async () => {
    dispatch.answers = [served('QUJD')];
    shared = ['TUIST_CLUSTER_DNS_IP=nobody', 'TUIST_CLUSTER_DOMAIN=cluster.local'];
    expect(await (await session(['exit 5'])).ended()).toBe(5);
    const { log } = await ending();
    expect(log).toContain('TUIST_CLUSTER_DNS_IP must be an IP address');
    expect(log).toContain('continuing without cluster names');
  });

  it('a Mac without the address of dispatch powers off', async () => {
    await machine.write(`${share}/tuist.env`, 'OTHER=value\n');
    await machine.write(`${share}/sa_token`, 'a.token');
    await begin().ended();
    const { log, ...end } = await ending();
    expect(end).toEqual({ code: 1, off: '-h now ' });
    expect(log).toContain('TUIST_RUNNER_DISPATCH_URL must be');
  });

  it('a Mac that is stopped while it polls powers off', async () => {
    dispatch.answers = [() => undefined];
    const program = await session(['exit 9'], { TUIST_RUNNER_POLL_TIMEOUT_SECONDS: '60' });
    await dispatch.isAsked(1);
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(143);
    expect(await ending()).toMatchObject({ code: 143, off: '-h now ' });
  });

  it('a Mac that is stopped during a job waits for its runner', async () => {
    dispatch.answers = [served('QUJD')];
    await machine.write('finish', '');
    const program = await session([
      `trap 'exit 6' TERM`,
      `curl -s '${dispatch.url}' -o /dev/null`,
      'while :; do sleep 0.05; done',
    ]);
    await dispatch.isAsked(2);
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(6);
    expect(await ending()).toMatchObject({ code: 6, off: '-h now ' });
  });
});
