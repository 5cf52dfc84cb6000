/** The real dialler reaches a server on a real socket. */
import { expect, it } from 'vitest';
import { SshServer } from '../../lab/harness/ssh-server.ts';
import { wallClock } from '../../lab/harness/wall-clock.ts';
import { makeSshKey } from './real-keys.ts';
import { realSshDialler } from './real-ssh.ts';

it('lets a fleet in with the key that was made for it', async () => {
  const { privateKey } = await makeSshKey('fleet');
  const server = await SshServer.open({ users: [privateKey] });
  const connection = await realSshDialler(wallClock).dial({
    address: '127.0.0.1',
    port: server.port,
    user: 'm1',
    privateKey,
    expected: { kind: 'trust-first' },
    deadlineMs: 600_000,
  });
  const limits = { name: 'the probe', deadlineMs: 600_000, stdoutMax: 100, stderrMax: 100 };
  expect((await connection.run('echo alive', limits)).stdout).toBe('alive\n');
  await connection.close();
  await server.close();
});
