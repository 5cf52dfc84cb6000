/** `muster manager` as a process: on a port that the system chose, its log says where it can be looked after. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';

let [folder, child]: [string, ChildProcess | undefined] = ['', undefined];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-probes-'))));
afterEach(async () => {
  if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

/** Nobody listens there: probes are served before anything is asked of a cluster. */
const kubeconfig = {
  'current-context': 'test',
  clusters: [{ name: 'test', cluster: { server: 'http://127.0.0.1:1' } }],
  users: [{ name: 'test', user: { token: 'none' } }],
  contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
};
const id = '11111111-2222-4333-8444-555555555555';
const credentials = {
  SCW_ACCESS_KEY: 'SCWXXXXXXXXXXXXXXXXX',
  SCW_SECRET_KEY: id,
  SCW_DEFAULT_PROJECT_ID: id,
  SCW_DEFAULT_ORGANIZATION_ID: id,
  SCW_API_URL: 'http://127.0.0.1:1',
};
const lineSchema = z.looseObject({ message: z.string(), url: z.string().optional() });

it('with port 0 the log says which port it got, and it answers there', async () => {
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, JSON.stringify(kubeconfig));
  const manager = spawn('bin/muster', ['manager', '--kubeconfig', file, '--probe-listen', '127.0.0.1:0'], {
    env: { ...process.env, ...credentials },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child = manager;
  const seen: string[] = [];
  for await (const line of createInterface({ input: manager.stderr })) {
    seen.push(line);
    const { url } = lineSchema.parse(JSON.parse(line));
    if (url === undefined) continue;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    return;
  }
  expect.fail(`it never said where:\n${seen.join('\n')}`);
});
