/** Ports of the pool controller. */
import type { NodeFacts, RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { WallClock } from '../state/pool-windows.ts';
import type { Pod, ServiceAccount } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Random } from '../../platform/random.ts';
import type { PodLogs, Removing, StoppedReports } from '../pods/ports.ts';
import type { BlockReason } from './admission.ts';
import type { TemplateSettings } from '../pod-template/pod-parts.ts';

export interface PoolPorts {
  readonly client: KubeClient;
  readonly now: () => number;
  readonly random: Random;
  readonly mayAct: () => boolean;
  readonly find: (key: string) => RunnerPoolObject | undefined;
  readonly pools: () => readonly RunnerPoolObject[];
  /** Runner Pods by the name of their pool. */
  readonly podsOf: (pool: string) => readonly Pod[];
  readonly podOf: (uid: string) => Pod | undefined;
  readonly accountsOf: (pool: string) => readonly ServiceAccount[];
  /** Undefined until the Nodes are listed. */
  readonly nodes: () => readonly NodeFacts[] | undefined;
  /** The local time by time zone. */
  readonly wallClock: (now: number) => WallClock;
  readonly template: TemplateSettings;
  readonly reports?: StoppedReports;
  readonly logs?: PodLogs;
  readonly blocked: (pool: string, reason: BlockReason) => void;
  readonly removing: Removing;
  readonly timedOut: (pool: string, reason: 'poller_not_started' | 'unschedulable') => void;
  /** Limit of Pods and accounts removed in one pass. */
  readonly deletesMax?: number;
}
