/** What the controller of pools is given: whom it tells that a Pod has ended, where it finds its last words, and the rest. */
import type { NodeFacts, RunnerPoolObject } from '../../fleet/runner-pools.ts';
import type { WallClock } from '../../fleet/pool-windows.ts';
import type { Pod, ServiceAccount } from '../../runtime/kube/builtin-resources.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';
import type { Random } from '../../runtime/random.ts';
import type { BlockReason } from './admission.ts';
import type { RetireReason } from './observed.ts';
import type { TemplateSettings } from './pod-parts.ts';

export interface StoppedReport {
  readonly podName: string;
  readonly podUid: string;
  readonly endedAt: number;
  readonly exitCode?: number;
  readonly reason?: string;
  /** Only of one that did not end well. */
  readonly logTail?: string;
}

export interface StoppedReports {
  /** Rejects with a `FleetError`: `rejected` when it will never be taken. */
  stopped(report: StoppedReport): Promise<void>;
}

export interface PodLogs {
  /** The last lines of a container; rejects with a `FleetError` when they cannot be had. */
  tail(place: { readonly namespace: string; readonly name: string }, container: string): Promise<string>;
}

/** Told before it is done: of a Pod that is gone nothing else says who removed it and why. */
export type Removing = (pod: Pod, why: RetireReason | 'pool-gone') => void;

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
  /** Undefined while not all of them are known. */
  readonly nodes: () => readonly NodeFacts[] | undefined;
  /** What the clock on the wall shows, by time zone. */
  readonly wallClock: (now: number) => WallClock;
  readonly template: TemplateSettings;
  readonly reports?: StoppedReports;
  readonly logs?: PodLogs;
  readonly blocked: (pool: string, reason: BlockReason) => void;
  readonly removing: Removing;
  readonly timedOut: (pool: string, reason: 'poller_not_started' | 'unschedulable') => void;
  /** No more Pods and accounts than this are removed in one pass. */
  readonly deletesMax?: number;
}
