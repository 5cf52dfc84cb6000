/** How a virtual Mac imports variables from its host, in a folder that replaces its disk. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuestMachine } from './guest-machine.ts';
import { shellsHere } from './shells.ts';

const share = 'Volumes/My Shared Files/env';
const noRoot = { TUIST_ENV_OWNER: '' };

describe.each(shellsHere())('inject-env, run by $name', (shell) => {
  let machine: GuestMachine;
  beforeEach(async () => {
    machine = await GuestMachine.open(shell);
  });
  afterEach(() => machine.close());

  it('imports every shared value, and no shell executes a value', async () => {
    const lines = [
      '# made by the host',
      '',
      `PLAIN=https://dispatch.test/a?b=c&d=e#f`,
      `QUOTED=it's $(touch pwned) \`id\` "and" $HOME \\ ; & |`,
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
      `it's $(touch pwned) \`id\` "and" $HOME \\ ; & `,
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

  /** Puts a fake awk before the real one. */
  async function withAwk(...lines: readonly string[]): Promise<Readonly<Record<string, string>>> {
    await machine.write('bin/awk', ['#!/bin/sh', ...lines, ''].join('\n'), 0o755);
    return { ...noRoot, PATH: `${machine.at('bin')}:${process.env['PATH']}` };
  }

  it('a partly read file is not installed, and the error is reported', async () => {
    await machine.write(`${share}/tuist.env`, 'FIRST=1\nSECOND=2\n');
    await machine.write('etc/tuist.env', 'export EARLIER=1\n');
    const program = machine.run('inject-env', await withAwk("echo 'export FIRST=1'", 'exit 2'));
    expect(await program.ended()).toBe(1);
    expect(program.lines.join('\n')).toMatch(/failed to write .*etc\/tuist\.env: it is unchanged/);
    expect(program.lines.join('\n')).not.toContain('installed');
    expect(await readFile(machine.at('etc/tuist.env'), 'utf8')).toBe('export EARLIER=1\n');
    expect(await readdir(machine.at('etc'))).toEqual(['tuist.env']);
  });

  it('a token that cannot be installed is reported', async () => {
    await machine.write(`${share}/tuist.env`, 'FIRST=1\n');
    await machine.write(`${share}/sa_token`, 'a.token');
    await machine.write('bin/cat', '#!/bin/sh\nprintf a.tok\nexit 1\n', 0o755);
    const program = machine.run('inject-env', {
      ...noRoot,
      PATH: `${machine.at('bin')}:${process.env['PATH']}`,
    });
    expect(await program.ended()).toBe(1);
    expect(program.lines.join('\n')).toMatch(/failed to write .*etc\/tuist-sa-token: it is unchanged/);
    expect(existsSync(machine.at('etc/tuist-sa-token'))).toBe(false);
  });

  it('awk runs in the C locale', async () => {
    await machine.write(`${share}/tuist.env`, 'NAME=Zoë\n');
    const strict = await withAwk(
      '[ "$LC_ALL" = C ] || exit 2',
      `PATH='${process.env['PATH']}'`,
      'exec awk "$@"',
    );
    const program = machine.run('inject-env', { ...strict, LC_ALL: 'de_DE.UTF-8' });
    expect(await program.ended(), program.lines.join('\n')).toBe(0);
    expect(await readFile(machine.at('etc/tuist.env'), 'utf8')).toBe("export NAME='Zoë'\n");
  });

  it('a machine without shared files is not changed', async () => {
    const program = machine.run('inject-env', noRoot);
    expect(await program.ended()).toBe(0);
    expect(program.lines.join('\n')).toContain('the host shared nothing');
    expect(existsSync(machine.at('etc/tuist.env'))).toBe(false);
  });
});
