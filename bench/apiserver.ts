/**
 * `npm run bench:apiserver`: the embedded API (memory and SQLite) beside the real etcd + kube-apiserver, in one run, with
 * one client, and whether the goals are met. How to read it, and what it came to: bench/README.md.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { startKubeFrom } from '../test/real/bring-up.ts';
import { judgesOf } from '../test/real/judges.ts';
import { makeReady } from '../test/real/ready.ts';
import { Workplace } from '../test/real/launch/workplace.ts';
import type { HttpsTarget } from '../src/apiserver/contract/https-target.ts';
import { targetOf } from '../src/apiserver/contract/kubeconfig-target.ts';
import { measure, type Figures } from './apiserver-load.ts';
import { goalLines, residentFigure, startFigure, tableOf } from './apiserver-report.ts';
import { startMs } from './apiserver-start.ts';

interface Contender {
  readonly name: string;
  readonly start: (workplace: Workplace) => Promise<HttpsTarget>;
  /** Where the start can be repeated; otherwise it is taken from the one launch. */
  readonly repeatedStartMs?: () => Promise<number>;
}

const embedded = (name: string, data: boolean): Contender => ({
  name,
  repeatedStartMs: () => startMs(data),
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

async function run({ name, start, repeatedStartMs }: Contender): Promise<Figures> {
  const workplace = await Workplace.open('bench');
  try {
    const before = performance.now();
    const target = await start(workplace);
    const launchMs = performance.now() - before;
    const figures = await measure(target);
    const resident = workplace.servers.reduce((sum, server) => sum + residentBytes(server.pid), 0);
    await target.close();
    console.error(`measured ${name}`);
    return {
      [startFigure]: (await repeatedStartMs?.()) ?? launchMs,
      ...figures,
      [residentFigure]: resident / 2 ** 20,
    };
  } finally {
    await workplace.close();
  }
}

function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) * 1024;
}

const [loadBefore = 0] = loadavg();
const results = {
  memory: await run(embedded('embedded, memory', false)),
  sqlite: await run(embedded('embedded, SQLite', true)),
  real: await run(real),
};
console.log(
  `${availableParallelism()} cores, load before the run ${loadBefore.toFixed(1)}: the goals are for a quiet machine\n`,
);
console.log(tableOf(results));
console.log(['', ...goalLines(results)].join('\n'));
