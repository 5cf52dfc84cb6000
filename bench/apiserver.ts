/**
 * `npm run bench:apiserver`: the embedded API (memory and SQLite) beside the real etcd + kube-apiserver, in one run,
 * with one client, and whether the goals are met. How to read it, and results: bench/README.md.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { Workplace } from '../test/reference/launch/workplace.ts';
import { targetOf } from '../lab/contracts/kubernetes-api/kubeconfig-target.ts';
import { benchHostile } from './apiserver-hostile.ts';
import { measure, type Figures } from './apiserver-load.ts';
import { goalLines, residentFigure, startFigure, tableOf } from './apiserver-report.ts';
import { startMs } from './apiserver-start.ts';
import { embedded, real, residentBytes, type Start } from './contenders.ts';

interface Contender {
  readonly name: string;
  readonly start: Start;
  /** Where the start can be repeated; otherwise the single launch counts. */
  readonly repeatedStartMs?: () => Promise<number>;
}

function imitation(name: string, keepsData: boolean): Contender {
  return { name, start: embedded(keepsData), repeatedStartMs: () => startMs(keepsData) };
}

async function run({ name, start, repeatedStartMs }: Contender): Promise<Figures> {
  const workplace = await Workplace.open('bench');
  try {
    const before = performance.now();
    const target = targetOf(readFileSync(await start(workplace), 'utf8'));
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

async function compare(): Promise<void> {
  const [loadBefore = 0] = loadavg();
  const results = {
    memory: await run(imitation('embedded, memory', false)),
    sqlite: await run(imitation('embedded, SQLite', true)),
    real: await run({ name: 'etcd + kube-apiserver', start: real }),
  };
  console.log(
    `${availableParallelism()} cores, load before the run ${loadBefore.toFixed(1)}: the goals are for a quiet machine\n`,
  );
  console.log(tableOf(results));
  console.log(['', ...goalLines(results)].join('\n'));
}

await (process.argv.includes('--hostile') ? benchHostile() : compare());
