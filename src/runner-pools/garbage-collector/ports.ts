/** Ports of the garbage collector. */
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Pod, ServiceAccount } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Removing } from '../pods/ports.ts';
import type { PodEndReporterPorts } from '../pods/pod-end-reporter.ts';

export interface PoolGarbageCollectorPorts extends PodEndReporterPorts {
  readonly client: KubeClient;
  readonly mayAct: () => boolean;
  readonly removing: Removing;
  readonly find: (key: string) => RunnerPoolObject | undefined;
  /** By pool name. */
  readonly podsOf: (pool: string) => readonly Pod[];
  readonly accountsOf: (pool: string) => readonly ServiceAccount[];
}
