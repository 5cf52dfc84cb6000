/** The shipped program that runs the runner, and its watchdog; the runner is a script of the test. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuestMachine, type GuestProgram } from './guest-machine.ts';
import { shellsHere } from './shells.ts';

const registration = 'QUJDRA==';
const jitPath = 'var/lib/tuist-runner/jit';

describe.each(shellsHere())('run-runner, run by $name', (shell) => {
  let machine: GuestMachine;
  beforeEach(async () => {
    machine = await GuestMachine.open(shell);
  });
  afterEach(() => machine.close());

  /** Passes a registration to a runner with this script. */
  async function start(
    lines: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<GuestProgram> {
    await machine.write(jitPath, registration);
    await machine.write('home/runner/run.sh', ['#!/bin/sh', ...lines, ''].join('\n'), 0o755);
    return run(env);
  }

  function run(env: Readonly<Record<string, string>> = {}): GuestProgram {
    // On a machine that is itself a GitHub runner a real Worker process always exists.
    return machine.run('run-runner', {
      TUIST_RUNNER_HOME: machine.at('home/runner'),
      TUIST_RUNNER_WORKER_NAME: 'NoSuch.Worker',
      ...env,
    });
  }

  it.each(['', undefined])('without a registration (%j) runs nothing', async (text) => {
    if (text !== undefined) await machine.write(jitPath, text);
    const program = run();
    expect(await program.ended()).toBe(0);
    expect(program.lines.join('\n')).toContain('nothing to run');
  });

  it('ends with 1 when the registration cannot be read', async () => {
    await mkdir(machine.at(jitPath));
    expect(await run().ended()).toBe(1);
  });

  it('a machine without a runner ends with 1', async () => {
    await machine.write(jitPath, registration);
    expect(await run().ended()).toBe(1);
  });

  it.each([0, 3])(
    'starts the runner in its folder with its registration, and returns its exit status %i',
    async (code) => {
      const program = await start([`printf '%s|' "$PWD" "$@" >../said`, `exit ${code}`]);
      expect(await program.ended()).toBe(code);
      expect((await readFile(machine.at('home/said'), 'utf8')).split('|')).toEqual([
        machine.at('home/runner'),
        '--jitconfig',
        registration,
        '--disableupdate',
        '',
      ]);
      expect(program.lines.join('\n')).not.toContain(registration);
      expect(await machine.leftovers()).toEqual([]);
    },
  );

  it('forwards TERM, and waits for the end of the runner', async () => {
    const program = await start([
      'sleep 1000 & sleeper=$!',
      `trap 'echo told; kill $sleeper; echo cleaning >../said; exit 7' TERM`,
      'echo ready',
      'wait',
    ]);
    await program.says('ready');
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(7);
    expect(await readFile(machine.at('home/said'), 'utf8')).toBe('cleaning\n');
  });

  it('a second TERM does not end the program earlier', async () => {
    const program = await start([
      `trap 'echo told' TERM`,
      'echo ready',
      'while [ ! -e ../finish ]; do sleep 0.05; done',
      'exit 9',
    ]);
    await program.says('ready');
    program.signal('SIGTERM');
    await program.says('told');
    program.signal('SIGTERM');
    await machine.write('home/finish', '');
    expect(await program.ended()).toBe(9);
  });

  it('repeats TERM for a runner that ignored the first, which then ends', async () => {
    const program = await start([
      `trap 'echo deaf; trap "exit 8" TERM' TERM`,
      'echo ready',
      'while :; do sleep 0.05; done',
    ]);
    await program.says('ready');
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(8);
    expect(await machine.leftovers()).toEqual([]);
  });

  it('sends TERM once to a runner with a job', async () => {
    const program = await start([
      `trap 'echo told >>../said' TERM`,
      'echo ready',
      'until [ -e ../said ]; do sleep 0.05; done',
      '"$ACTIONS_RUNNER_HOOK_JOB_STARTED"',
      'rm "$TUIST_RUNNER_STATE_DIR/job-started"',
      'sleep 5',
    ]);
    await program.says('ready');
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(0);
    expect(await readFile(machine.at('home/said'), 'utf8')).toBe('told\n');
  });

  it('stops a runner without a job in time', async () => {
    const program = await start(['exec sleep 1000'], { TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '1' });
    expect(await program.ended()).toBe(143);
    expect(program.lines.join('\n')).toContain('no job came in 1 s');
  });

  describe('with a clock that the runner controls,', () => {
    /** Advances the second of the sleeping watchdog, and waits for its reaction. */
    const timePasses = [
      ': >../time-passes',
      'while ps -o stat= -p "$watchdog" | grep -qv Z; do :; done',
      'exit 4',
    ];

    async function startSlowly(
      lines: readonly string[],
      env: Readonly<Record<string, string>> = {},
    ): Promise<GuestProgram> {
      const until = `while [ ! -e '${machine.at('home/time-passes')}' ]; do /bin/sleep 0.02; done`;
      await machine.write('bin/sleep', `#!/bin/sh\n${until}\n`, 0o755);
      return start(['watchdog=$(cat "$TUIST_RUNNER_STATE_DIR/watchdog")', ...lines, ...timePasses], {
        PATH: `${machine.at('bin')}:${process.env['PATH'] ?? ''}`,
        TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '1',
        ...env,
      });
    }

    it('does not stop a runner with a job', async () => {
      const program = await startSlowly(['"$ACTIONS_RUNNER_HOOK_JOB_STARTED"']);
      expect(await program.ended()).toBe(4);
    });

    it('a job step that deletes the marker does not restart the watchdog', async () => {
      const forgotten = 'rm "$TUIST_RUNNER_STATE_DIR/job-started"';
      const program = await startSlowly(['"$ACTIONS_RUNNER_HOOK_JOB_STARTED"', forgotten]);
      expect(await program.ended()).toBe(4);
    });

    it('does not stop a runner with a Worker process but without a marker', async () => {
      await mkdir(machine.at('home'));
      await copyFile('/bin/sleep', machine.at('home/Odd.Worker'));
      const program = await startSlowly(
        ['../Odd.Worker 1000 >/dev/null 2>&1 &', 'until ps -o comm= -p $! | grep -q Odd.Worker; do :; done'],
        { TUIST_RUNNER_WORKER_NAME: 'Odd.Worker' },
      );
      expect(await program.ended()).toBe(4);
    });

    it('stops a runner without a job', async () => {
      expect(await (await startSlowly([])).ended()).toBe(143);
    });
  });

  it('the watchdog ends by itself after the runner, even without a signal', async () => {
    const program = await start([
      'watchdog=$(cat "$TUIST_RUNNER_STATE_DIR/watchdog")',
      'rm -r "$TUIST_RUNNER_STATE_DIR"',
      'while ps -o stat= -p "$watchdog" | grep -qv Z; do sleep 0.1; done',
      'exit 3',
    ]);
    expect(await program.ended()).toBe(3);
  });

  it('the job hook never fails the job, whatever the state of its folder', async () => {
    const program = await start([
      'rm -r "$TUIST_RUNNER_STATE_DIR"',
      '"$ACTIONS_RUNNER_HOOK_JOB_STARTED" || exit 5',
      'mkdir -p "$TUIST_RUNNER_STATE_DIR/job-started"',
      'bash -e "$ACTIONS_RUNNER_HOOK_JOB_STARTED" || exit 6',
    ]);
    expect(await program.ended()).toBe(0);
  });

  it('the job keeps the locale of the machine', async () => {
    const program = await start(['echo "speaks $LC_ALL"'], { LC_ALL: 'de_DE.UTF-8' });
    expect(await program.ended()).toBe(0);
    expect(program.lines).toContain('speaks de_DE.UTF-8');
  });

  it('0 seconds disable the watchdog', async () => {
    const program = await start(['[ ! -e "$TUIST_RUNNER_STATE_DIR/watchdog" ]', 'exit $?'], {
      TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '0',
    });
    expect(await program.ended()).toBe(0);
  });

  it('refuses an invalid time', async () => {
    expect(await (await start(['exit 0'], { TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '5m' })).ended()).toBe(1);
  });
});
