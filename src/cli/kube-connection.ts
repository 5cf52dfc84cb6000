/** Finds the cluster of a long-running process: the ServiceAccount inside a Pod, else a kubeconfig. */
import type { Connection, ConnectionPorts } from '../kube/client/connection.ts';
import { inCluster, isInCluster } from '../kube/client/in-cluster.ts';
import { readKubeconfig } from '../kube/client/kubeconfig.ts';
import type { Clock } from '../platform/clock.ts';
import type { ClusterPorts } from './process-ports.ts';

export interface ClusterChoice {
  readonly kubeconfig: string | undefined;
  readonly kubeContext: string | undefined;
}

export async function connectionFor(
  { kubeconfig, kubeContext: context }: ClusterChoice,
  { env, readFile, runProgram, clock }: ClusterPorts & { readonly clock: Clock },
): Promise<Connection> {
  const ports: ConnectionPorts = { readFile, runProgram, now: () => clock.now() };
  if (kubeconfig === undefined && isInCluster(env)) return inCluster(env, ports);
  const file = kubeconfig ?? env['KUBECONFIG'] ?? `${env['HOME'] ?? ''}/.kube/config`;
  return readKubeconfig({ file, ...(context !== undefined && { context }) }, ports);
}
