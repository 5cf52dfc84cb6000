/** The observed state of a pool, and the possible actions. */
import type { WallClock } from '../state/pool-windows.ts';
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Pod, ServiceAccount } from '../../kube/client/builtin-resources.ts';
import type { RetireReason } from '../pods/ports.ts';
import type { FleetView } from './admission.ts';

export interface Observed {
  readonly now: number;
  readonly pool: RunnerPoolObject;
  /** Pods of this pool, not of an earlier pool of the same name. */
  readonly pods: readonly Pod[];
  readonly accounts: readonly ServiceAccount[];
  /** Names of created Pods that are not yet in the cache. */
  readonly unseen: readonly string[];
  /** Deleted Pods whose end was not reported to dispatch. */
  readonly vanished: readonly Pod[];
  /** Uids of Pods whose end is reported or given up. */
  readonly reported: ReadonlySet<string>;
  readonly fleet: FleetView;
  /** Linux jobs have a docker sidecar. */
  readonly hasDocker: boolean;
  /** Times of recent early ends of Pods without a job. */
  readonly earlyEnds: readonly number[];
  readonly lastMadeAt: number | undefined;
  readonly clock: WallClock;
  readonly deletesMax: number;
}

export interface Retirement {
  readonly kind: 'retire';
  readonly pod: Pod;
  readonly why: RetireReason;
}

export type Action =
  /** Adds the finalizer. Before that no Pod is created, since the pool could be deleted without a drain. */
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'remove-finalizer' }
  | { readonly kind: 'create' }
  | Retirement
  /** Marks a Pod of an old template, so that its next poll drains it. */
  | { readonly kind: 'mark'; readonly pod: Pod }
  | { readonly kind: 'report'; readonly pod: Pod }
  /** Removes an account whose Pod is gone. */
  | { readonly kind: 'sweep'; readonly account: ServiceAccount };
