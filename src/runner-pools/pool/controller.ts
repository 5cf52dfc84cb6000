/**
 * Keeps the Pods of a RunnerPool at the desired number, each with its own ServiceAccount, each for one job. A removal
 * is decided from caches and verified by a fresh read. The delete names the resource version that was read, so that a
 * Pod claimed in between stays.
 */
import { finalizers } from '../../api/names/finalizers.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { runnerPools, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { dropFinalizer, ensureFinalizer } from '../../kube/reconciler/finalizers.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import { creationsIn } from './scale-up.ts';
import { eventsFor } from './pool-events.ts';
import type { Action, Observed } from './observed.ts';
import { plan } from './plan.ts';
import { PodActs } from './actions.ts';
import { isAlive, isOwnedBy, isStale } from '../pods/runner-pods.ts';
import { PoolMemory } from './expectations.ts';
import type { PoolPorts } from './ports.ts';
import { statusPatch } from './status.ts';
import { PodEndReporter } from '../pods/pod-end-reporter.ts';

const deletesDefaultMax = 25;

export class PoolController implements Controller<Observed, Action> {
  readonly name = 'pool';
  readonly plan = plan;
  readonly #ports: PoolPorts;
  readonly #memory = new PoolMemory();
  readonly #reporter: PodEndReporter;
  readonly #acts: PodActs;

  constructor(ports: PoolPorts) {
    this.#ports = ports;
    this.#reporter = new PodEndReporter(ports);
    this.#acts = new PodActs({ ...ports, reporter: this.#reporter, memory: this.#memory });
  }

  /** Call for each Pod that is deleted from the API. */
  gone(pod: Pod): void {
    if (this.#reporter.isOpen && !this.#reporter.reported.has(pod.metadata.uid)) this.#memory.vanished(pod);
  }

  /** Since when a rollout has made no progress; undefined without a rollout. */
  rollSince(pool: RunnerPoolObject): number | undefined {
    const { podsOf, now } = this.#ports;
    const stale = podsOf(pool.metadata.name).filter((pod) => isAlive(pod) && isStale(pod, pool));
    return this.#memory.rollSince(keyOf(pool), stale, now());
  }

  observe(key: string): Promise<Observed | undefined> {
    const { find, podsOf, podOf, accountsOf, now, wallClock } = this.#ports;
    const { template, deletesMax = deletesDefaultMax } = this.#ports;
    const pool = find(key);
    this.#reporter.forget((uid) => podOf(uid) !== undefined || this.#memory.isVanished(uid));
    if (pool === undefined) {
      this.#memory.forget(key);
      return Promise.resolve(undefined);
    }
    const { name } = pool.metadata;
    const pods = podsOf(name).filter((pod) => isOwnedBy(pod, pool));
    this.rollSince(pool);
    return Promise.resolve({
      now: now(),
      pool,
      pods,
      accounts: accountsOf(name).filter((account) => isOwnedBy(account, pool)),
      unseen: this.#memory.unseen(key, { now: now(), seen: pods }),
      vanished: this.#memory.vanishedOf((pod) => isOwnedBy(pod, pool)),
      reported: this.#reporter.reported,
      fleet: this.#fleet(),
      hasDocker: template.dindImage !== undefined,
      earlyEnds: this.#memory.earlyEnds(key, pods, now()),
      lastMadeAt: this.#memory.lastMadeAt(key),
      clock: wallClock(now()),
      deletesMax,
    });
  }

  async act(action: Action, observed: Observed): Promise<ActionResult> {
    switch (action.kind) {
      case 'add-finalizer':
        await ensureFinalizer(this.#ports.client, this.#held(observed.pool), finalizers.runnerPoolDrain.key);
        return 'requested';
      case 'remove-finalizer':
        return this.#removeFinalizer(observed.pool);
      case 'create':
        return this.#acts.create(observed.pool);
      case 'retire':
        return this.#acts.retire(action, observed);
      case 'mark':
        return this.#acts.mark(action.pod, observed);
      case 'report':
        return this.#acts.report(action.pod);
      case 'sweep':
        return this.#acts.sweep(action.account, observed.pool);
    }
  }

  /** A conflict is ignored: a changed pool is reconciled again anyway. */
  async status(observed: Observed, { results }: Report<Action>): Promise<void> {
    const { pool } = observed;
    const { blocked } = creationsIn(observed);
    if (blocked !== undefined) this.#ports.blocked(pool.metadata.name, blocked);
    const isChanged = results.some(
      ({ action }) => action.kind === 'add-finalizer' || action.kind === 'remove-finalizer',
    );
    const status = isChanged ? undefined : statusPatch(observed);
    if (status === undefined) return;
    const { name, namespace = '', resourceVersion } = pool.metadata;
    const place = { namespace, name, subresource: 'status' };
    const merge = { metadata: { resourceVersion }, status };
    try {
      await this.#ports.client.patch(runnerPools, place, { merge });
    } catch (error) {
      if (!isFleetError(error, 'conflict') && !isFleetError(error, 'gone')) throw error;
    }
  }

  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    return eventsFor(observed, report, this.#acts.takeUnreported(observed.pool));
  }

  /**
   * Lists live Pods past the cache before the finalizer is removed: a Pod missing in the cache must not lose its job.
   */
  async #removeFinalizer(pool: RunnerPoolObject): Promise<ActionResult> {
    const { client, mayAct } = this.#ports;
    const { name, namespace = '' } = pool.metadata;
    if (await this.#acts.hasLiving(pool)) return 'precondition-lost';
    const { object: current } = await freshRead(client, runnerPools, { namespace, name });
    if (current?.metadata.uid !== pool.metadata.uid || !mayAct()) return 'precondition-lost';
    await dropFinalizer(client, this.#held(current), finalizers.runnerPoolDrain.key);
    return 'requested';
  }

  #held(object: RunnerPoolObject) {
    return { resource: runnerPools, object };
  }

  #fleet(): Observed['fleet'] {
    const { pools, podsOf, nodes, now } = this.#ports;
    const all = pools();
    const keys = new Map(all.map((pool) => [pool.metadata.name, keyOf(pool)]));
    return {
      pools: all,
      podsOf,
      nodes: nodes(),
      unseen: (name) =>
        this.#memory.unseen(keys.get(name) ?? name, { now: now(), seen: podsOf(name) }).length,
    };
  }
}
