/**
 * `npm run bench:apiserver`: the embedded API (memory and SQLite) beside the real etcd + kube-apiserver, in one run, with
 * one client. Read the ratios, not the figures: those depend on the machine. The real etcd runs without syncing to disk,
 * which favours it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKubeFrom } from '../test/real/bring-up.ts';
import { judgesOf } from '../test/real/judges.ts';
import { makeReady } from '../test/real/ready.ts';
import { Workplace } from '../test/real/launch/workplace.ts';
import type { HttpsTarget } from '../src/apiserver/contract/https-target.ts';
import { targetOf } from '../src/apiserver/contract/kubeconfig-target.ts';
import { measure, type Figures } from './apiserver-load.ts';

interface Contender {
  readonly name: string;
  readonly start: (workplace: Workplace) => Promise<HttpsTarget>;
}

const embedded = (name: string, data: boolean): Contender => ({
  name,
  start: async (workplace) => {
    const kubeconfig = join(workplace.dir, 'kubeconfig');
    const keep = data ? ['--data', join(workplace.dir, 'data')] : [];
    await workplace.launch({
      name: 'muster',
      command: join(process.cwd(), 'bin', 'muster'),
      args: ['apiserver', '--listen', '127.0.0.1:0', '--write-kubeconfig', kubeconfig, ...keep],
      ports: [],
      isHealthy: async (log) => (await log()).includes('Kubernetes API at'),
    });
    return targetOf(readFileSync(kubeconfig, 'utf8'));
  },
});

const real: Contender = {
  name: 'etcd + kube-apiserver',
  start: async (workplace) => {
    const ready = await Promise.all(
      judgesOf('kube').map((judge) => makeReady(judge, { env: process.env, progress: () => undefined })),
    );
    const bench = new Map(ready.map((found) => [found.judge.name, found]));
    const kube = await startKubeFrom(bench, { workplace });
    return targetOf(readFileSync(kube.adminKubeconfig, 'utf8'));
  },
};

async function run({ name, start }: Contender): Promise<Figures> {
  const workplace = await Workplace.open('bench');
  try {
    const before = performance.now();
    const target = await start(workplace);
    const startMs = performance.now() - before;
    const figures = await measure(target, () =>
      workplace.servers.reduce((sum, server) => sum + residentBytes(server.pid), 0),
    );
    await target.close();
    console.error(`measured ${name}`);
    return { 'start, ms': startMs, ...figures };
  } finally {
    await workplace.close();
  }
}

function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}

const contenders = [embedded('embedded, memory', false), embedded('embedded, SQLite', true), real];
const results: Figures[] = [];
for (const contender of contenders) results.push(await run(contender));

const [memory = {}, sqlite = {}, judge = {}] = results;
console.log(
  [
    'figure'.padEnd(34),
    'memory'.padStart(10),
    'SQLite'.padStart(10),
    'real'.padStart(10),
    'memory/real',
    'SQLite/real',
  ].join('  '),
);
for (const name of Object.keys(judge)) {
  const [a = 0, b = 0, c = 0] = [memory[name], sqlite[name], judge[name]];
  const cells = [a, b, c].map((value) => value.toFixed(value < 100 ? 2 : 0).padStart(10));
  console.log(
    [
      name.padEnd(34),
      ...cells,
      `${(a / c).toFixed(2)}x`.padStart(11),
      `${(b / c).toFixed(2)}x`.padStart(11),
    ].join('  '),
  );
}
