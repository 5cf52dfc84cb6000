/** What runs the runner, and its watchdog, as they are shipped; in the place of the runner is what the test says. */
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

  /** Hands over a registration to a runner that does this. */
  async function start(
    lines: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<GuestProgram> {
    await machine.write(jitPath, registration);
    await machine.write('home/runner/run.sh', ['#!/bin/sh', ...lines, ''].join('\n'), 0o755);
    return run(env);
  }

  function run(env: Readonly<Record<string, string>> = {}): GuestProgram {
    // On a machine that is itself a runner of GitHub there is always a worker.
    return machine.run('run-runner', {
      TUIST_RUNNER_HOME: machine.at('home/runner'),
      TUIST_RUNNER_WORKER_NAME: 'NoSuch.Worker',
      ...env,
    });
  }

  it.each(['', undefined])('without a registration (%j) there is nothing to run', async (text) => {
    if (text !== undefined) await machine.write(jitPath, text);
    const program = run();
    expect(await program.ended()).toBe(0);
    expect(program.lines.join('\n')).toContain('nothing to run');
  });

  it('a registration that cannot be read ends it with 1', async () => {
    await mkdir(machine.at(jitPath));
    expect(await run().ended()).toBe(1);
  });

  it('a machine without a runner ends with 1', async () => {
    await machine.write(jitPath, registration);
    expect(await run().ended()).toBe(1);
  });

  it.each([0, 3])(
    'the runner is given its registration where it lives, and its exit status %i is ours',
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

  it('TERM is passed on, and the runner is waited for however it ends', async () => {
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

  it('TERM that comes twice ends nothing earlier', async () => {
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

  it('a runner that did not hear the first TERM is told again, and ends', async () => {
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

  it('a runner that has begun its job is told once', async () => {
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

  it('a runner that is given no job in time is told to end', async () => {
    const program = await start(['exec sleep 1000'], { TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '1' });
    expect(await program.ended()).toBe(143);
    expect(program.lines.join('\n')).toContain('no job came in 1 s');
  });

  describe('where its time passes only when the runner says so,', () => {
    /** The second for which the watchdog sleeps, and what the watchdog does after it. */
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

    it('one that has begun its job is not told to end', async () => {
      const program = await startSlowly(['"$ACTIONS_RUNNER_HOOK_JOB_STARTED"']);
      expect(await program.ended()).toBe(4);
    });

    it('what a step of the job does to the marker brings no watchdog back', async () => {
      const forgotten = 'rm "$TUIST_RUNNER_STATE_DIR/job-started"';
      const program = await startSlowly(['"$ACTIONS_RUNNER_HOOK_JOB_STARTED"', forgotten]);
      expect(await program.ended()).toBe(4);
    });

    it('one whose worker runs is not told to end, though nobody has told of its job', async () => {
      await mkdir(machine.at('home'));
      await copyFile('/bin/sleep', machine.at('home/Odd.Worker'));
      const program = await startSlowly(
        ['../Odd.Worker 1000 >/dev/null 2>&1 &', 'until ps -o comm= -p $! | grep -q Odd.Worker; do :; done'],
        { TUIST_RUNNER_WORKER_NAME: 'Odd.Worker' },
      );
      expect(await program.ended()).toBe(4);
    });

    it('one without a job is', async () => {
      expect(await (await startSlowly([])).ended()).toBe(143);
    });
  });

  it('a watchdog that no signal has reached ends by itself when its runner is over', async () => {
    const program = await start([
      'watchdog=$(cat "$TUIST_RUNNER_STATE_DIR/watchdog")',
      'rm -r "$TUIST_RUNNER_STATE_DIR"',
      'while ps -o stat= -p "$watchdog" | grep -qv Z; do sleep 0.1; done',
      'exit 3',
    ]);
    expect(await program.ended()).toBe(3);
  });

  it('the hook of a job never fails it, whatever became of the folder it writes to', async () => {
    const program = await start([
      'rm -r "$TUIST_RUNNER_STATE_DIR"',
      '"$ACTIONS_RUNNER_HOOK_JOB_STARTED" || exit 5',
      'mkdir -p "$TUIST_RUNNER_STATE_DIR/job-started"',
      'bash -e "$ACTIONS_RUNNER_HOOK_JOB_STARTED" || exit 6',
    ]);
    expect(await program.ended()).toBe(0);
  });

  it('the language of the machine stays that of the job', async () => {
    const program = await start(['echo "speaks $LC_ALL"'], { LC_ALL: 'de_DE.UTF-8' });
    expect(await program.ended()).toBe(0);
    expect(program.lines).toContain('speaks de_DE.UTF-8');
  });

  it('0 seconds mean that nobody watches', async () => {
    const program = await start(['[ ! -e "$TUIST_RUNNER_STATE_DIR/watchdog" ]', 'exit $?'], {
      TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '0',
    });
    expect(await program.ended()).toBe(0);
  });

  it('a time that is none is refused', async () => {
    expect(await (await start(['exit 0'], { TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '5m' })).ended()).toBe(1);
  });
});
