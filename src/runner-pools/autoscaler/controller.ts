/** Sets the replicas of a pool from the signals of dispatch and the capacity of its Nodes. */
import type { Reason } from '../../api/conditions/reasons.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { WallClock } from '../state/pool-windows.ts';
import {
  areSiblings,
  runnerPools,
  type NodeFacts,
  type RunnerPoolObject,
} from '../state/runner-pool-objects.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import type { RuntimeClass } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import { decide, isScaled, plan, type Action, type Observed, type Sums } from './plan.ts';
import type { RunnerSignals } from './ports.ts';
import { bytesOf } from './quantity.ts';
import type { Signals } from './target.ts';

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

/** The last calculation for a pool. */
export interface LastSums extends Sums {
  readonly signals: Signals;
}

/** Event messages. Those of `troubles` are also sent if nothing was done. */
const messages: Readonly<Partial<Record<Reason, string>>> = {
  ScaledUp: 'the pool needs more Pods, so its replicas were raised',
  ScaledDown: 'the pool needs fewer Pods, so its replicas were lowered',
};
const troubles: Readonly<Partial<Record<Reason, string>>> = {
  SignalsUnavailable: 'dispatch reports no signals of the pool, so its replicas stay unchanged',
  RuntimeClassUnknown:
    'the runtime class and thus the cost of a Pod is unknown, so the replicas of the pool stay unchanged',
};

export class Autoscale implements Controller<Observed, Action> {
  readonly name = 'autoscale';
  readonly plan = plan;
  readonly #ports: AutoscalePorts;
  readonly #sums = new Map<string, LastSums>();

  constructor(ports: AutoscalePorts) {
    this.#ports = ports;
  }

  /** The last calculations of autoscaled pools, by pool. */
  get sums(): ReadonlyMap<string, LastSums> {
    return this.#sums;
  }

  async observe(key: string): Promise<Observed | undefined> {
    const { find, now, wallClock } = this.#ports;
    const pool = find(key);
    if (pool === undefined || !isScaled(pool)) this.#sums.delete(key);
    if (pool === undefined) return undefined;
    const around = await this.#around(pool);
    return { ...around, now: now(), clock: wallClock(now()), pool };
  }

  /** Decides again from a fresh read, so that a change by an operator is not overwritten. */
  async act({ replicas }: Action, observed: Observed): Promise<ActionResult> {
    const { client, now } = this.#ports;
    const { name, namespace = '', uid } = observed.pool.metadata;
    const { object: current } = await freshRead(client, runnerPools, { namespace, name });
    if (current?.metadata.uid !== uid) return 'overtaken';
    if (decide({ ...observed, pool: current }).action?.replicas !== replicas) return 'overtaken';
    const { resourceVersion } = current.metadata;
    const merge = { metadata: { resourceVersion }, spec: { replicas } };
    await client.patch(runnerPools, { namespace, name }, { merge });
    if (replicas > current.spec.replicas) return 'asked';
    const lowered = { metadata: { uid }, status: { lastScaleDownAt: timeText(now()) } };
    await client.patch(runnerPools, { namespace, name, subresource: 'status' }, { merge: lowered });
    return 'asked';
  }

  status(observed: Observed): Promise<void> {
    const { sums } = decide(observed);
    const { pool, signals } = observed;
    if (sums !== undefined && signals !== undefined) this.#sums.set(keyOf(pool), { ...sums, signals });
    return Promise.resolve();
  }

  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    const subject = subjectOf(runnerPools, observed.pool);
    const { reason } = decide(observed);
    const isAsked = report.results.some(({ outcome }) => outcome === 'asked');
    const done = isAsked ? messages[reason] : undefined;
    const trouble = troubles[reason];
    const reported: readonly EventDraft[] = [
      ...(done === undefined ? [] : [{ subject, type: 'Normal', reason, message: done } as const]),
      ...(trouble === undefined ? [] : [{ subject, type: 'Warning', reason, message: trouble } as const]),
    ];
    return [...reported, ...failuresIn(subject, report)];
  }

  async #around(pool: RunnerPoolObject): Promise<Omit<Observed, 'now' | 'clock' | 'pool'>> {
    const { pools, nodes } = this.#ports;
    if (!isScaled(pool)) return { signals: undefined, siblings: [], nodes: undefined, overheads: new Map() };
    const others = pools().filter(
      (one) => one.metadata.uid !== pool.metadata.uid && isScaled(one) && areSiblings(one, pool),
    );
    const siblings = others.map(async (one) => ({ pool: one, signals: await this.#signalsOf(one) }));
    return {
      signals: await this.#signalsOf(pool),
      siblings: await Promise.all(siblings),
      nodes: nodes(),
      overheads: this.#overheads(),
    };
  }

  /** Returns undefined if the signals are not available; the plan decides what follows. */
  async #signalsOf({ metadata }: RunnerPoolObject): Promise<Signals | undefined> {
    try {
      return await this.#ports.signals.signals(metadata.name);
    } catch (error) {
      if (isFleetError(error)) return undefined;
      throw error;
    }
  }

  #overheads(): ReadonlyMap<string, number> {
    const known = this.#ports.runtimeClasses().flatMap(({ metadata, overhead }) => {
      const bytes = bytesOf(overhead?.podFixed?.['memory'] ?? '0');
      return bytes === undefined ? [] : [[metadata.name, bytes] as const];
    });
    return new Map(known);
  }
}
