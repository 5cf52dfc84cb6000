/** What the shells of this machine make of the launcher. The sh of macOS is bash; an integration test covers zsh. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { frameScript, launcher } from './script-launcher.ts';

function launch(stdin: Buffer, { login = '/bin/sh', sh = '/bin/sh' } = {}) {
  const command = launcher.replace('/bin/sh', sh);
  const { status, stdout, stderr } = spawnSync(login, ['-c', command], { input: stdin });
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

it.each([{}, { login: '/bin/bash' }, { sh: '/bin/bash --posix' }])(
  'runs the script as written, with %j',
  (shells) => {
    const script = `printf '%s' "it's \\n \\\\ $((1 + 1)) Áüè \${lines-unset}"\ncat <<'E'\n  two  \\\n\nE\nexit 7`;
    const ended = launch(frameScript(script), shells);
    expect(ended).toEqual({ status: 7, stdout: "it's \\n \\ 2 Áüè unset  two  \\\n\n", stderr: '' });
  },
);

it('leaves the stdin of the script to the script, byte by byte', () => {
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256));
  const { stdout } = spawnSync('/bin/sh', ['-c', launcher], {
    input: Buffer.concat([
      frameScript('read -r first; printf "%s" "$first"; cat'),
      Buffer.from('one\n'),
      bytes,
    ]),
  });
  expect(stdout).toEqual(Buffer.concat([Buffer.from('one'), bytes]));
});

it('runs no part of a script that did not arrive whole', () => {
  const framed = frameScript('echo one\necho two\necho three');
  for (let length = 0; length < framed.length; length++) {
    const { status, stdout } = launch(framed.subarray(0, length));
    expect([length, status, stdout]).toEqual([length, 96, '']);
  }
  expect(launch(framed).stdout).toBe('one\ntwo\nthree\n');
});

it('refuses a script that a shell cannot hold', () => {
  expect(() => frameScript('echo \0')).toThrow('must not contain NUL');
});
