/** Removes the Pods and accounts of deleted pools. */
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { KubeObject } from '../../kube/client/kube-object.ts';
import { poolUidOf } from '../pods/runner-pods.ts';
import { PodEndReporter } from '../pods/pod-end-reporter.ts';
import { Removals } from './actions.ts';
import { plan, type Action, type Observed } from './plan.ts';
import type { PoolGarbageCollectorPorts } from './ports.ts';

export class PoolGarbageCollector implements Controller<Observed, Action> {
  readonly name = 'pool-garbage-collector';
  readonly plan = plan;
  readonly #ports: PoolGarbageCollectorPorts;
  readonly #reporter: PodEndReporter;
  readonly #removals: Removals;

  constructor(ports: PoolGarbageCollectorPorts) {
    this.#ports = ports;
    this.#reporter = new PodEndReporter(ports);
    this.#removals = new Removals({ ...ports, reporter: this.#reporter });
  }

  observe(key: string): Promise<Observed | undefined> {
    const { find, podsOf, accountsOf, now } = this.#ports;
    const present = find(key)?.metadata.uid;
    const name = key.slice(key.indexOf('/') + 1);
    const isLeft = (object: KubeObject): boolean => {
      const uid = poolUidOf(object);
      return uid !== undefined && uid !== present;
    };
    const [left, accounts] = [podsOf(name).filter(isLeft), accountsOf(name).filter(isLeft)];
    this.#reporter.forget((uid) => left.some(({ metadata }) => metadata.uid === uid));
    const isNothing = left.length === 0 && accounts.length === 0;
    return Promise.resolve(isNothing ? undefined : { now: now(), key, pods: left, accounts });
  }

  act(action: Action, { key }: Observed): Promise<ActionResult> {
    return this.#removals.take(action, key);
  }

  status(): Promise<void> {
    return Promise.resolve();
  }
}
