/** Finds the cluster: --kubeconfig, else KUBECONFIG, else the ServiceAccount of this Pod, else ~/.kube/config. */
import { delimiter, join } from 'node:path';
import { KubeClient } from '../../kube/client/client.ts';
import type { Connection } from '../../kube/client/connection.ts';
import { HttpTransport } from '../../kube/client/http-transport.ts';
import { inCluster, isInCluster } from '../../kube/client/in-cluster.ts';
import { readKubeconfig } from '../../kube/client/kubeconfig.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import type { ClusterPorts, ProcessPorts } from '../process-ports.ts';
import { Cluster } from './cluster.ts';
import type { ClusterOptions } from './options.ts';

/** Does the work on the cluster and closes the connections. */
export async function onCluster(
  options: ClusterOptions,
  ports: ProcessPorts,
  work: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const { clock, random, outside } = ports;
  if (outside === undefined) throw new Error('no Kubernetes connection configured');
  const connection = await connectionOf(options, outside, clock.now.bind(clock));
  const transport =
    outside.transport?.(connection) ??
    new HttpTransport({ connection, userAgent: 'muster-cli', now: () => clock.now() });
  // A command sends a handful of requests. The limit only contains a bug.
  const limit = new RateLimit(clock, { perSecond: 50, burst: 100 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'muster-cli' });
  try {
    await work(new Cluster({ client, clock, random }));
  } finally {
    if (transport instanceof HttpTransport) await transport.close();
  }
}

async function connectionOf(
  { kubeconfig, context }: ClusterOptions,
  outside: ClusterPorts,
  now: () => number,
): Promise<Connection> {
  const { env } = outside;
  const ports = { readFile: outside.readFile, runProgram: outside.runProgram, now };
  const named = kubeconfig ?? firstOf(env['KUBECONFIG']);
  if (named !== undefined) return readKubeconfig({ file: named, context }, ports);
  if (context === undefined && isInCluster(env)) return inCluster(env, ports);
  const home = env['HOME'] ?? '';
  const usual = join(home, '.kube', 'config');
  if (home === '' || !(await isReadable(usual, outside)))
    throw new Error(
      'no kubeconfig: give --kubeconfig <file>, or set KUBECONFIG, or run this in a Pod of the cluster',
    );
  return readKubeconfig({ file: usual, context }, ports);
}

/** kubectl merges the files of a list. Merging is not supported here, so a list of several files is an error. */
function firstOf(list: string | undefined): string | undefined {
  const files = (list ?? '').split(delimiter).filter((file) => file !== '');
  if (files.length > 1)
    throw new Error(`KUBECONFIG names ${files.length} files; choose one with --kubeconfig`);
  return files[0];
}

async function isReadable(file: string, { readFile }: ClusterPorts): Promise<boolean> {
  try {
    await readFile(file);
    return true;
  } catch {
    return false;
  }
}
