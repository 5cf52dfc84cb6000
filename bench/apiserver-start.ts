/** The time of `bin/muster apiserver` until the first answer to a client, process start and handshake included. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetOf } from '../lab/contracts/kubernetes-api/kubeconfig-target.ts';

const starts = 7;

/** The median: a single disturbed start is not meaningful. The first start only fills the cache of compiled code. */
export async function startMs(keepsData: boolean): Promise<number> {
  await oneStart(keepsData);
  const taken: number[] = [];
  for (let round = 0; round < starts; round += 1) taken.push(await oneStart(keepsData));
  return taken.toSorted((a, b) => a - b)[Math.floor(starts / 2)] ?? Number.NaN;
}

async function oneStart(keepsData: boolean): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-start-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const data = keepsData ? ['--data', join(folder, 'data')] : [];
  const args = ['apiserver', '--listen', '127.0.0.1:0', '--write-kubeconfig', kubeconfig, ...data];
  const before = performance.now();
  const server = spawn(join(process.cwd(), 'bin', 'muster'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(server, 'exit');
  try {
    await Promise.race([once(server.stdout, 'data'), gone.then(() => Promise.reject(new Error('no start')))]);
    const target = targetOf(readFileSync(kubeconfig, 'utf8'));
    const answer = await target.request({ method: 'GET', path: '/api/v1/namespaces' });
    const taken = performance.now() - before;
    await target.close();
    if (answer.status !== 200) throw new Error(`the first request was answered with ${answer.status}`);
    return taken;
  } finally {
    server.kill('SIGTERM');
    await gone;
    await rm(folder, { recursive: true, force: true });
  }
}
