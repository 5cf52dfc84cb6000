/** Sets the replicas of a pool from the signals of dispatch and the capacity of its Nodes. */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { areSiblings, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import { scale } from './actions.ts';
import { isScaled, plan, type Action, type Observed } from './plan.ts';
import type { AutoscalePorts } from './ports.ts';
import { bytesOf } from './quantity.ts';
import { eventsFor, lastSumsOf, type LastSums } from './status.ts';
import type { Signals } from './target.ts';

export class Autoscale implements Controller<Observed, Action> {
  readonly name = 'autoscale';
  readonly plan = plan;
  readonly events = eventsFor;
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

  act(action: Action, observed: Observed): Promise<ActionResult> {
    return scale(this.#ports, action, observed);
  }

  status(observed: Observed): Promise<void> {
    const sums = lastSumsOf(observed);
    if (sums !== undefined) this.#sums.set(keyOf(observed.pool), sums);
    return Promise.resolve();
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
