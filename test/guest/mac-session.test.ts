/** A virtual Mac from its start until it is powered off, as far as that can be seen without a Mac. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuestMachine, type GuestProgram } from './guest-machine.ts';
import { answered, ScriptedDispatch, served } from './scripted-dispatch.ts';
import { shellsHere } from './shells.ts';

const share = 'Volumes/My Shared Files/env';
const status = 'Volumes/My Shared Files/status';
const noRoot = { TUIST_ENV_OWNER: '', TUIST_SUDO: '' };

describe.each(shellsHere())('on a Mac, run by $name', (shell) => {
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

  describe('inject-env', () => {
    it('nothing that was shared is lost, and no shell runs any of it', async () => {
      const lines = [
        '# made by the host',
        '',
        `PLAIN=https://dispatch.test/a?b=c&d=e#f`,
        `QUOTED=it's $(touch /tmp/pwned) \`id\` "and" $HOME \\ ; & |`,
        String.raw`TEXT=one\ntwo\r\nthree`,
        'EMPTY=',
        'not a line',
        'a-b=bad name',
        '$(id)=bad name',
        'LAST=without an end',
      ];
      await machine.write(`${share}/tuist.env`, lines.join('\n'));
      await machine.write(`${share}/sa_token`, 'a.token\n');
      expect(await machine.run('inject-env', noRoot).ended()).toBe(0);
      const print = `. "$1"; printf '%s|' "$PLAIN" "$QUOTED" "$TEXT" "$EMPTY" "$LAST"`;
      const { command, args } = shell;
      const read = execFileSync(command, [...args, '-c', print, 'read', machine.at('etc/tuist.env')]);
      expect(read.toString().split('|')).toEqual([
        'https://dispatch.test/a?b=c&d=e#f',
        `it's $(touch /tmp/pwned) \`id\` "and" $HOME \\ ; & `,
        '',
        'one\ntwo\r\nthree',
        '',
        'without an end',
        '',
      ]);
      expect(await readFile(machine.at('etc/tuist-sa-token'), 'utf8')).toBe('a.token\n');
      for (const file of ['etc/tuist.env', 'etc/tuist-sa-token'])
        expect((await stat(machine.at(file))).mode & 0o777).toBe(0o640);
    });

    it('a machine with which nothing was shared is left as it is', async () => {
      const program = machine.run('inject-env', noRoot);
      expect(await program.ended()).toBe(0);
      expect(program.lines.join('\n')).toContain('nothing was shared');
      expect(existsSync(machine.at('etc/tuist.env'))).toBe(false);
    });
  });

  describe('mac-session', () => {
    async function session(
      lines: readonly string[],
      env: Readonly<Record<string, string>> = {},
    ): Promise<GuestProgram> {
      await machine.write(`${share}/tuist.env`, `TUIST_RUNNER_DISPATCH_URL=${dispatch.url}\n`);
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

    it.each([0, 5])(
      'a job is waited for and run, its end %i is told, and the machine is powered off',
      async (code) => {
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
      },
    );

    it('one that is drained is powered off without a job', async () => {
      dispatch.answers = [answered(410)];
      expect(await (await session(['exit 9'])).ended()).toBe(0);
      expect(await ending()).toMatchObject({ code: 0, off: '-h now ' });
    });

    it('one that is refused is powered off', async () => {
      dispatch.answers = [answered(401)];
      await (await session(['exit 9'])).ended();
      expect(await ending()).toMatchObject({ code: 1, off: '-h now ' });
    });

    it('one with which nothing was shared is powered off', async () => {
      await begin().ended();
      expect(await ending()).toMatchObject({
        code: 1,
        off: '-h now ',
        log: expect.stringContaining('there is no'),
      });
    });

    it('one without a token is powered off', async () => {
      await machine.write(`${share}/tuist.env`, `TUIST_RUNNER_DISPATCH_URL=${dispatch.url}\n`);
      await begin().ended();
      expect(await ending()).toMatchObject({ code: 1, off: '-h now ' });
      expect(dispatch.asked).toEqual([]);
    });

    it('one without a folder to tell its end in is powered off', async () => {
      await machine.write('Volumes/My Shared Files/other', '');
      execFileSync('rm', ['-r', machine.at(status)]);
      await begin().ended();
      expect(await readFile(machine.at('off'), 'utf8')).toBe('-h now ');
    });

    it('one that is told to end while it waits is powered off', async () => {
      dispatch.answers = [() => undefined];
      const program = await session(['exit 9'], { TUIST_RUNNER_POLL_TIMEOUT_SECONDS: '60' });
      await dispatch.isAsked(1);
      program.signal('SIGTERM');
      expect(await program.ended()).toBe(143);
      expect(await ending()).toMatchObject({ code: 143, off: '-h now ' });
    });

    it('one that is told to end while it works lets its runner end first', async () => {
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
});
