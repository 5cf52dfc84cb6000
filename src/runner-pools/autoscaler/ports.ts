/** Ports of the autoscaler. */
import type { WallClock } from '../state/pool-windows.ts';
import type { NodeFacts, RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { RuntimeClass } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Signals } from './target.ts';

/** The source of the signals of a pool. */
export interface RunnerSignals {
  /** Rejects with a `FleetError` if the signals are not available. */
  signals(pool: string): Promise<Signals>;
}

export interface AutoscalePorts {
  readonly client: KubeClient;
  readonly now: () => number;
  readonly wallClock: (now: number) => WallClock;
  readonly signals: RunnerSignals;
  readonly find: (key: string) => RunnerPoolObject | undefined;
  readonly pools: () => readonly RunnerPoolObject[];
  /** Undefined until the Nodes are listed. */
  readonly nodes: () => readonly NodeFacts[] | undefined;
  /** Empty until the runtime classes are listed. */
  readonly runtimeClasses: () => readonly RuntimeClass[];
}
