/**
 * Removes the Pods and accounts of deleted pools. Each action
 * verifies again that the pool is gone, and skips changed objects.
 */
import { runnerPools, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { pods, serviceAccounts, type Pod, type ServiceAccount } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject, Resource } from '../../kube/client/kube-object.ts';
import { hasEnded, poolUidOf } from '../pods/runner-pods.ts';
import type { Removing } from '../pods/ports.ts';
import { deleteAsRead, placeOf, sameNow } from '../pods/delete-with-precondition.ts';
import { PodEndReporter, type PodEndReporterPorts } from '../pods/pod-end-reporter.ts';
import { isOver, plan, type Action, type Observed } from './plan.ts';

export interface PoolRemainsPorts extends PodEndReporterPorts {
  readonly client: KubeClient;
  readonly mayAct: () => boolean;
  readonly removing: Removing;
  readonly find: (key: string) => RunnerPoolObject | undefined;
  /** By pool name. */
  readonly podsOf: (pool: string) => readonly Pod[];
  readonly accountsOf: (pool: string) => readonly ServiceAccount[];
}

export class PoolRemains implements Controller<Observed, Action> {
  readonly name = 'pool-remains';
  readonly plan = plan;
  readonly #ports: PoolRemainsPorts;
  readonly #reporter: PodEndReporter;

  constructor(ports: PoolRemainsPorts) {
    this.#ports = ports;
    this.#reporter = new PodEndReporter(ports);
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
    return action.kind === 'remove' ? this.#remove(action.pod, key) : this.#sweep(action.account, key);
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  async #remove(pod: Pod, key: string): Promise<ActionResult> {
    const { client, mayAct, removing } = this.#ports;
    const current = await sameNow(client, pods, pod);
    if (current === undefined || !isOver(current) || !(await this.#isLeft(current, key))) return 'overtaken';
    if (hasEnded(current)) await this.#reporter.report(current, { hasLog: true });
    if (!mayAct()) return 'overtaken';
    removing(current, 'pool-gone');
    if (!(await this.#delete(pods, current))) return 'overtaken';
    const { object: account } = await freshRead(client, serviceAccounts, placeOf(current));
    if (account !== undefined && poolUidOf(account) === poolUidOf(current))
      await this.#delete(serviceAccounts, account);
    return 'asked';
  }

  async #sweep(account: ServiceAccount, key: string): Promise<ActionResult> {
    const current = await sameNow(this.#ports.client, serviceAccounts, account);
    if (current === undefined || !(await this.#isLeft(current, key))) return 'overtaken';
    const { object: pod } = await freshRead(this.#ports.client, pods, placeOf(current));
    if (pod !== undefined) return 'overtaken';
    return (await this.#delete(serviceAccounts, current)) ? 'asked' : 'overtaken';
  }

  /** Reads past the cache, which may not yet have a new pool. */
  async #isLeft(object: KubeObject, key: string): Promise<boolean> {
    const [namespace = '', name = ''] = key.split('/');
    const { object: pool } = await freshRead(this.#ports.client, runnerPools, { namespace, name });
    const uid = poolUidOf(object);
    return uid !== undefined && pool?.metadata.uid !== uid;
  }

  async #delete(resource: Resource, object: KubeObject): Promise<boolean> {
    return this.#ports.mayAct() && deleteAsRead(this.#ports.client, resource, object);
  }
}
