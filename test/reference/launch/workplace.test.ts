import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ServerOrder } from './server.ts';
import { reservePorts } from './ports.ts';
import { Workplace } from './workplace.ts';

function shell(
  name: string,
  script: string,
  more: Partial<ServerOrder> = {},
): Omit<ServerOrder, 'dir' | 'unwanted'> {
  const isHealthy: ServerOrder['isHealthy'] = async (log) => (await log()).includes('up');
  return { name, command: '/bin/sh', args: ['-c', script], ports: [], isHealthy, ...more };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('releases servers, ports and the folder', async () => {
  const workplace = await Workplace.open('test');
  const [port = 0] = await workplace.ports(1);
  const server = await workplace.launch(shell('toy', 'echo up; exec sleep 1000'));
  await workplace.close();
  expect([isAlive(server.pid), existsSync(workplace.dir)]).toEqual([false, false]);
  // The port can be drawn again, so its reservation is gone.
  const again = await reservePorts(1, () => port);
  expect(again.numbers).toEqual([port]);
  await again.release();
});

it('ends a server that is still starting, and leaves nothing behind', async () => {
  const workplace = await Workplace.open('test');
  const started = Promise.withResolvers<number>();
  const never = shell('slow', 'echo $$; exec sleep 1000', {
    isHealthy: async (log) => {
      const pid = Number(await log());
      if (pid > 0) started.resolve(pid);
      return false;
    },
  });
  const launching = workplace.launch(never).catch((error: unknown) => error);
  const pid = await started.promise;
  await workplace.close();
  expect(isAlive(pid)).toBe(false);
  expect(await launching).toMatchObject({ message: 'slow was canceled while it started' });
});

it('waits for a start that succeeds during the close, and stops that server too', async () => {
  const workplace = await Workplace.open('test');
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<boolean>();
  const slow = shell('slow', 'exec sleep 1000', {
    isHealthy: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  const launching = workplace.launch(slow).catch((error: unknown) => error);
  await asked.promise;
  answer.resolve(true);
  await workplace.close();
  await launching;
  expect(workplace.servers).toEqual([]);
});

it('keeps only the logs on request', async () => {
  const workplace = await Workplace.open('test');
  await workplace.launch(shell('toy', 'echo up; exec sleep 1000'));
  await mkdir(join(workplace.dir, 'data'));
  await writeFile(join(workplace.dir, 'admin.kubeconfig'), 'secret');
  await workplace.close('keep-logs');
  expect(await readdir(workplace.dir)).toEqual(['toy.log']);
  expect(await readFile(join(workplace.dir, 'toy.log'), 'utf8')).toBe('up\n');
  await rm(workplace.dir, { recursive: true });
});

it('names a server that ends without a stop', async () => {
  const workplace = await Workplace.open('test');
  const server = await workplace.launch(shell('toy', 'echo up; exec sleep 1000'));
  process.kill(server.pid, 'SIGKILL');
  await server.gone;
  expect(workplace.died.reason).toMatchObject({
    message: `toy (process ${server.pid}) died while it was in use`,
  });
  await workplace.close();
});

it('does not report a server that it stopped itself', async () => {
  const workplace = await Workplace.open('test');
  await workplace.launch(shell('toy', 'echo up; exec sleep 1000'));
  await workplace.close();
  expect(workplace.died.aborted).toBe(false);
});

it('removes leftovers of a killed run, and nothing else', async () => {
  // Process ids end far below this number. The own id is in each name, because another run may execute the same test.
  const abandoned = join(tmpdir(), `muster-test-2147483646-${process.pid}`);
  const kept = join(tmpdir(), `muster-logs-test-2147483646-${process.pid}`);
  const living = join(tmpdir(), `muster-test-${process.pid}-abcdef`);
  for (const dir of [abandoned, kept, living]) await mkdir(dir, { recursive: true });
  const workplace = await Workplace.open('test');
  expect([abandoned, kept, living].map((dir) => existsSync(dir))).toEqual([false, true, true]);
  await workplace.close();
  for (const dir of [kept, living]) await rm(dir, { recursive: true });
});
