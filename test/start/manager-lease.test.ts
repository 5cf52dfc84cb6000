/** `muster manager` as a process, where the namespace of its Lease does not exist: it ends, and says which flag to change. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startEmbeddedApi } from '../../src/cli/embedded-api.ts';
import { anyRandom as random, wallClock as clock } from '../../lab/harness/wall-clock.ts';

let [folder, child]: [string, ChildProcess | undefined] = ['', undefined];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-lease-'))));
afterEach(async () => {
  if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

const id = '11111111-2222-4333-8444-555555555555';
const credentials = {
  SCW_ACCESS_KEY: 'SCWXXXXXXXXXXXXXXXXX',
  SCW_SECRET_KEY: id,
  SCW_DEFAULT_PROJECT_ID: id,
  SCW_DEFAULT_ORGANIZATION_ID: id,
  SCW_API_URL: 'http://127.0.0.1:1',
};
const never = new Promise<void>(() => undefined);
const lineSchema = z.looseObject({ level: z.string(), message: z.string(), error: z.string().optional() });

it('ends with 1 and an error that names the flag', async () => {
  const kubeconfig = join(folder, 'kubeconfig');
  await using begun = new AsyncDisposableStack();
  const api = await startEmbeddedApi(
    { listen: { host: '127.0.0.1', port: 0 }, data: undefined, kubeconfig },
    { clock, random, terminal: { out: () => undefined, err: () => undefined }, stopped: never },
  );
  begun.defer(() => api.close());
  const place = ['--kubeconfig', kubeconfig, '--lease-namespace', 'fleet', '--probe-listen', '127.0.0.1:0'];
  const manager = spawn('bin/muster', ['manager', ...place], {
    env: { ...process.env, ...credentials },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child = manager;
  const [said, [code]] = await Promise.all([text(manager.stderr), once(manager, 'exit')]);
  const lines = said.split('\n').flatMap((line) => (line === '' ? [] : [lineSchema.parse(JSON.parse(line))]));
  expect(code).toBe(1);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({
      message: 'failed to start the manager',
      error: expect.stringMatching(/404 namespaces "fleet" not found; .* --lease-namespace$/),
    }),
  ]);
});
