import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { launchServer, type ServerOrder } from './server.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'muster-server-test-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** A server in a few lines of shell: it prints when it is up, and then waits to be ended. */
function shell(script: string, more: Partial<ServerOrder> = {}): ServerOrder {
  return {
    name: 'toy',
    command: '/bin/sh',
    args: ['-c', script],
    dir,
    ports: [],
    unwanted: new AbortController().signal,
    isHealthy: async (log) => (await log()).includes('up'),
    ...more,
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('is handed over when it is healthy, and is gone after stop', async () => {
  const server = await launchServer(shell('echo up; exec sleep 1000'));
  expect(isAlive(server.pid)).toBe(true);
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
});

it('an early death is an error with the last lines and the log', async () => {
  await expect(launchServer(shell('echo "no such flag: --frob" >&2; exit 3'))).rejects.toMatchObject({
    message: 'toy ended while starting; its last lines:\n    no such flag: --frob',
    next: `read its log: ${join(dir, 'toy.log')}`,
  });
  expect(await readFile(join(dir, 'toy.log'), 'utf8')).toBe('no such flag: --frob\n');
});

it('a taken port is named', async () => {
  const order = shell('echo "listen tcp 127.0.0.1:2379: bind: address already in use"; exit 1', {
    ports: [2380, 2379],
  });
  await expect(launchServer(order)).rejects.toMatchObject({
    message: 'toy cannot start: port 2379 on 127.0.0.1 is already taken',
    next: "see who holds it with: ss -ltnp 'sport = :2379', then run again",
  });
});

it('a program that is not there is an error, not a hang', async () => {
  await expect(launchServer(shell('', { command: '/nowhere/toy' }))).rejects.toMatchObject({
    message: expect.stringContaining('/nowhere/toy'),
  });
});

it('a death is noticed while a health question is never answered', async () => {
  const order = shell('exit 3', { isHealthy: () => new Promise<boolean>(() => undefined) });
  await expect(launchServer(order)).rejects.toMatchObject({ message: 'toy ended while starting' });
});

it('an aborted start ends, and leaves no process', async () => {
  const closing = new AbortController();
  const order = shell('echo $$; exec sleep 1000', {
    unwanted: closing.signal,
    isHealthy: async (log) => {
      if ((await log()) !== '') closing.abort();
      return false;
    },
  });
  await expect(launchServer(order)).rejects.toThrow('was canceled');
  expect(isAlive(Number(await readFile(join(dir, 'toy.log'), 'utf8')))).toBe(false);
});

it('one that ignores the request to end is killed', async () => {
  const server = await launchServer(
    shell('trap "" TERM; echo up; while :; do sleep 1000; done', { patienceMs: 50 }),
  );
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
});

it('dies with the process that launched it, even after a SIGKILL', async () => {
  const line = createServer();
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const address = line.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // The toy holds a connection to this test for its whole life.
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; echo up; exec sleep 1000`;
  const order = { name: 'toy', command: '/bin/bash', args: ['-c', script], dir, ports: [] };
  const launcher = `
    import { launchServer } from ${JSON.stringify(new URL('server.ts', import.meta.url).href)};
    const order = ${JSON.stringify(order)};
    const isHealthy = async (log) => (await log()).includes('up');
    await launchServer({ ...order, unwanted: new AbortController().signal, isHealthy });
    console.log('launched');
  `;
  const connected = once(line, 'connection');
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', launcher], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [socket]: Socket[] = await connected;
  await once(parent.stdout, 'data');
  const died = once(socket?.resume() ?? line, 'close');
  parent.kill('SIGKILL');
  await died;
  line.close();
  expect(socket?.destroyed).toBe(true);
});
