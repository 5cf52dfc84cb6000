/**
 * Removes the Pods and accounts of a deleted pool. Each action
 * verifies again that the pool is gone, and skips changed objects.
 */
import { runnerPools } from '../state/runner-pool-objects.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { pods, serviceAccounts, type Pod, type ServiceAccount } from '../../kube/client/builtin-resources.ts';
import type { KubeObject, Resource } from '../../kube/client/kube-object.ts';
import { hasEnded, poolUidOf } from '../pods/runner-pods.ts';
import { deleteAsRead, placeOf, sameNow } from '../pods/delete-with-precondition.ts';
import type { PodEndReporter } from '../pods/pod-end-reporter.ts';
import { isOver, type Action } from './plan.ts';
import type { PoolGarbageCollectorPorts } from './ports.ts';

interface Ports extends Pick<PoolGarbageCollectorPorts, 'client' | 'mayAct' | 'removing'> {
  readonly reporter: PodEndReporter;
}

export class Removals {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** `key`: namespace and name of the pool. */
  take(action: Action, key: string): Promise<ActionResult> {
    return action.kind === 'remove' ? this.#remove(action.pod, key) : this.#sweep(action.account, key);
  }

  async #remove(pod: Pod, key: string): Promise<ActionResult> {
    const { client, mayAct, removing, reporter } = this.#ports;
    const current = await sameNow(client, pods, pod);
    if (current === undefined || !isOver(current) || !(await this.#isLeft(current, key)))
      return 'precondition-lost';
    if (hasEnded(current)) await reporter.report(current, { hasLog: true });
    if (!mayAct()) return 'precondition-lost';
    removing(current, 'pool-gone');
    if (!(await this.#delete(pods, current))) return 'precondition-lost';
    const { object: account } = await freshRead(client, serviceAccounts, placeOf(current));
    if (account !== undefined && poolUidOf(account) === poolUidOf(current))
      await this.#delete(serviceAccounts, account);
    return 'requested';
  }

  async #sweep(account: ServiceAccount, key: string): Promise<ActionResult> {
    const current = await sameNow(this.#ports.client, serviceAccounts, account);
    if (current === undefined || !(await this.#isLeft(current, key))) return 'precondition-lost';
    const { object: pod } = await freshRead(this.#ports.client, pods, placeOf(current));
    if (pod !== undefined) return 'precondition-lost';
    return (await this.#delete(serviceAccounts, current)) ? 'requested' : 'precondition-lost';
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
