/** The environment of the wipe command, and the limits on its output. */
import { expect, it } from 'vitest';
import { Secret } from '../../../platform/secret.ts';
import { wipeCommand, type Command } from './wipe-command.ts';

const host = {
  id: '00000001-1111-4222-8333-444444444444',
  zone: 'office',
  name: 'mini-1',
  type: 'M2-L',
  ip: '192.0.2.1',
  os: { id: 'x', name: 'macos-tahoe-26.3', family: 'tahoe', version: '26.3', isBeta: false },
  sshUsername: 'admin',
  sudoPassword: new Secret('correct horse'),
};

async function wiped(run: (command: Command) => Promise<void> | void) {
  const lines: string[] = [];
  const commands: Command[] = [];
  const hook = wipeCommand({
    command: '/opt/wipe it',
    deadlineMs: 1000,
    run: async (command) => {
      commands.push(command);
      await run(command);
    },
    onLine: (id, line) => void lines.push(`${id.slice(0, 8)} ${line}`),
  });
  const end = await hook.wipe(host, new AbortController().signal).catch(String);
  return { end, lines, command: commands[0] };
}

it('the command runs unchanged and gets the host in its environment, without a password', async () => {
  const { command } = await wiped(() => undefined);
  expect(command).toMatchObject({
    command: '/opt/wipe it',
    args: [],
    deadlineMs: 1000,
    env: { MUSTER_HOST_ID: host.id, MUSTER_HOST_ADDRESS: '192.0.2.1', MUSTER_HOST_SSH_USERNAME: 'admin' },
  });
  expect(Object.values(command?.env ?? {})).not.toContain('correct horse');
});

it('the output is split into lines, including the rest after a failure', async () => {
  const { end, lines } = await wiped(({ onOutput }) => {
    for (const piece of ['era', 'sing\r\nwai', 'ting\n\n', 'no answer']) onOutput(piece);
    throw new Error('exit code 1');
  });
  expect(end).toBe('Error: exit code 1');
  expect(lines).toEqual(['00000001 erasing', '00000001 waiting', '00000001 no answer']);
});

it('long lines and too many lines are cut off', async () => {
  const { lines } = await wiped(({ onOutput }) => {
    for (let piece = 0; piece < 100; piece += 1) onOutput('x'.repeat(100));
    for (let line = 0; line < 1000; line += 1) onOutput('\ny');
  });
  expect(lines[0]).toBe(`00000001 ${'x'.repeat(500)}…`);
  expect(lines).toHaveLength(201);
  expect(lines.at(-1)).toContain('the rest is dropped');
});
