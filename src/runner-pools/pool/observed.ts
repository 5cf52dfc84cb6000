/** What there is to decide about, and what can be done. */
import type { WallClock } from '../state/pool-windows.ts';
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Pod, ServiceAccount } from '../../kube/client/builtin-resources.ts';
import type { RetireReason } from '../pods/ports.ts';
import type { FleetView } from './admission.ts';

export interface Observed {
  readonly now: number;
  readonly pool: RunnerPoolObject;
  /** Those of this very pool. */
  readonly pods: readonly Pod[];
  readonly accounts: readonly ServiceAccount[];
  /** The names of those that were made and are not seen yet. */
  readonly unseen: readonly string[];
  /** Pods that are gone without dispatch having been told. */
  readonly vanished: readonly Pod[];
  /** The uids of Pods of which dispatch need not be told any more. */
  readonly reported: ReadonlySet<string>;
  readonly fleet: FleetView;
  /** Jobs on Linux have a docker of their own. */
  readonly hasDocker: boolean;
  /** When Pods ended soon after their start and without a job, of late. */
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
  /** Nothing is made for a pool that could go without being drained. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'let-go' }
  | { readonly kind: 'create' }
  | Retirement
  /** Tells a Pod of an old template to end when it asks for a job next. */
  | { readonly kind: 'mark'; readonly pod: Pod }
  | { readonly kind: 'report'; readonly pod: Pod }
  /** Removes an account whose Pod is gone. */
  | { readonly kind: 'sweep'; readonly account: ServiceAccount };
