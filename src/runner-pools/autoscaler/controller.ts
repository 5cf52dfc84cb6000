/** Sets how many Pods a pool is asked for, from what dispatch says of its queue and from the room on its Nodes. */
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
  /** Undefined while not all of them are known. */
  readonly nodes: () => readonly NodeFacts[] | undefined;
  /** None of them while not all of them are known. */
  readonly runtimeClasses: () => readonly RuntimeClass[];
}

/** What was last worked out for a pool. */
export interface LastSums extends Sums {
  readonly signals: Signals;
}

/** What people should know; the second kind is told also where nothing was done. */
const messages: Readonly<Partial<Record<Reason, string>>> = {
  ScaledUp: 'more Pods are needed, and the pool was asked for them',
  ScaledDown: 'fewer Pods are needed, and idle ones go',
};
const troubles: Readonly<Partial<Record<Reason, string>>> = {
  SignalsUnavailable:
    'dispatch does not tell what is asked of the pool, so the number of Pods stays as it is',
  RuntimeClassUnknown:
    'what a Pod costs is not known without its runtime class, so their number stays as it is',
};

export class Autoscale implements Controller<Observed, Action> {
  readonly name = 'autoscale';
  readonly plan = plan;
  readonly #ports: AutoscalePorts;
  readonly #sums = new Map<string, LastSums>();

  constructor(ports: AutoscalePorts) {
    this.#ports = ports;
  }

  /** By pool, of those that follow demand. */
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

  /** Decided anew from what is stored: a person who has changed the pool meanwhile is not written over. */
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

  /** That they cannot be had is one of the things to decide about. */
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
