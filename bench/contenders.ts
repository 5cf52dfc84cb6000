/** The measured servers: the embedded API, and the real etcd + kube-apiserver. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKubeFrom } from '../test/reference/bring-up.ts';
import { programsOf } from '../test/reference/programs.ts';
import type { Workplace } from '../test/reference/launch/workplace.ts';
import { makeReady } from '../test/reference/ready.ts';

/** Starts a server that ends with the workplace; returns the path of an administrator's kubeconfig. */
export type Start = (workplace: Workplace) => Promise<string>;

export function embedded(keepsData: boolean): Start {
  return async (workplace) => {
    const kubeconfig = join(workplace.dir, 'kubeconfig');
    const keep = keepsData ? ['--data', join(workplace.dir, 'data')] : [];
    await workplace.launch({
      name: 'muster',
      command: join(process.cwd(), 'bin', 'muster'),
      args: ['apiserver', '--listen', '127.0.0.1:0', '--write-kubeconfig', kubeconfig, ...keep],
      ports: [],
      isHealthy: async (log) => (await log()).includes('Kubernetes API at'),
    });
    return kubeconfig;
  };
}

export const real: Start = async (workplace) => {
  const ready = await Promise.all(
    programsOf('kube').map((evaluate) =>
      makeReady(evaluate, { env: process.env, progress: () => undefined }),
    ),
  );
  const bench = new Map(ready.map((found) => [found.program.name, found]));
  return (await startKubeFrom(bench, { workplace })).adminKubeconfig;
};

export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) * 1024;
}
