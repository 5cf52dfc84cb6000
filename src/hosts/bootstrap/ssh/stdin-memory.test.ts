/** However slow the host is, little of a large stdin is in memory here. */
import type { ServerChannel } from 'ssh2';
import { expect, it } from 'vitest';
import { failureOf, openSshConnection, probe } from '../../../../lab/harness/ssh-connection-harness.ts';
import { until } from '../../../../lab/harness/ssh-server.ts';

const pieceBytes = 64 * 1024;
const bytesMax = 256 * 1024;

function counted(count: number, atFirst: () => void = () => undefined) {
  const pulled = { bytes: 0 };
  const stdin = (async function* () {
    for (let at = 0; at < count; at++) {
      if (at === 0) atFirst();
      pulled.bytes += pieceBytes;
      yield Buffer.alloc(pieceBytes);
    }
  })();
  return { pulled, stdin };
}

it('memory stays small while the network is slow', async () => {
  const { clock, connection, socket, close } = await openSshConnection();
  const { pulled, stdin } = counted(64, () => socket.cork());
  const counting = connection.run('wc -c', { ...probe, stdin });
  await until(() => pulled.bytes > 0);
  await clock.settle();
  expect(pulled.bytes).toBeLessThanOrEqual(bytesMax);
  socket.uncork();
  expect((await counting).stdout.trim()).toBe(String(64 * pieceBytes));
  await close();
});

it('memory stays small while the command does not read', async () => {
  const running: ServerChannel[] = [];
  const { clock, connection, close } = await openSshConnection({
    exec: (channel) => void running.push(channel),
  });
  const { pulled, stdin } = counted(640);
  const failed = failureOf(connection.run('sleep 1', { ...probe, stdin, deadlineMs: 5_000 }));
  const windowBytes = 2 * 1024 * 1024;
  await until(() => (running[0]?.readableLength ?? 0) === windowBytes);
  await clock.settle();
  expect(pulled.bytes - windowBytes).toBeLessThanOrEqual(bytesMax);
  await clock.pass(5_000);
  expect((await failed).reason).toBe('SSHTimeout');
  await close();
});
