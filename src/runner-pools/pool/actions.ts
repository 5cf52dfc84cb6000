/** Actions on Pods and their accounts. Each action reads its object again, and skips changed objects. */
import { labels } from '../../api/names/labels.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { uuid } from '../../platform/ids.ts';
import { pods, serviceAccounts, type Pod, type ServiceAccount } from '../../kube/client/builtin-resources.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import type { Observed, Retirement } from './observed.ts';
import type { PoolPorts } from './ports.ts';
import type { PoolMemory } from './expectations.ts';
import { hasEnded, isAlive, isGoing, isIdle, isOwnedBy, isStale, isStaleImage } from '../pods/runner-pods.ts';
import { deleteAsRead, placeOf, sameNow } from '../pods/delete-with-precondition.ts';
import { whyNow } from './removals.ts';
import type { PodEndReporter } from '../pods/pod-end-reporter.ts';
import { accountOf, podOf } from '../pod-template/pod-template.ts';

export interface ActPorts extends Pick<
  PoolPorts,
  'client' | 'now' | 'random' | 'mayAct' | 'template' | 'removing' | 'timedOut'
> {
  readonly reporter: PodEndReporter;
  readonly memory: PoolMemory;
}

const pageSize = 500;
const suffixLength = 8;

export class PodActs {
  readonly #ports: ActPorts;
  /** Pods removed although dispatch was not notified, by pool. */
  readonly #unreported = new Map<string, number>();

  constructor(ports: ActPorts) {
    this.#ports = ports;
  }

  takeUnreported(pool: RunnerPoolObject): number {
    const count = this.#unreported.get(keyOf(pool)) ?? 0;
    this.#unreported.delete(keyOf(pool));
    return count;
  }

  /**
   * Creates the account first: Kubernetes refuses a Pod without its
   * account. An account whose Pod was not created is swept later.
   */
  async create(pool: RunnerPoolObject): Promise<ActionResult> {
    const { client, random, memory, now, template: settings, mayAct } = this.#ports;
    const { name: poolName, namespace = '' } = pool.metadata;
    const name = `${poolName}-runner-${uuid(random).slice(0, suffixLength)}`;
    await client.create(serviceAccounts, { namespace }, accountOf(pool, name));
    if (!mayAct()) return 'precondition-lost';
    memory.made(keyOf(pool), name, now());
    try {
      await client.create(pods, { namespace }, podOf({ pool, settings }, name));
    } catch (error) {
      // After a lost answer the Pod may exist, so it counts until the cache would show it.
      if (!isFleetError(error, 'unavailable')) memory.unmade(keyOf(pool), name);
      throw error;
    }
    return 'requested';
  }

  /**
   * An ended Pod is reported before the delete. An idle Pod is
   * reported only after it is gone: until then it may be claimed.
   */
  async retire({ pod, why }: Retirement, observed: Observed): Promise<ActionResult> {
    const { client, reporter, mayAct, removing, timedOut } = this.#ports;
    const current = await sameNow(client, pods, pod);
    if (current === undefined || !isDue({ kind: 'retire', pod: current, why }, observed))
      return 'precondition-lost';
    const isOver = hasEnded(current);
    if (isOver) this.#count(await reporter.report(current, { hasLog: true }), observed.pool);
    if (!mayAct()) return 'precondition-lost';
    removing(current, why);
    if (!(await deleteAsRead(client, pods, current))) return 'precondition-lost';
    const { name } = observed.pool.metadata;
    if (why === 'start-timeout') timedOut(name, 'poller_not_started');
    if (why === 'unschedulable') timedOut(name, 'unschedulable');
    await this.#removeAccount(current, observed.pool);
    return 'requested';
  }

  async mark(pod: Pod, { pool }: Observed): Promise<ActionResult> {
    const { client, mayAct } = this.#ports;
    const current = await sameNow(this.#ports.client, pods, pod);
    if (current === undefined || !isAlive(current) || !isIdle(current)) return 'precondition-lost';
    if (!isStaleImage(current, pool) || !mayAct()) return 'precondition-lost';
    const { uid, resourceVersion } = current.metadata;
    const metadata = { uid, resourceVersion, labels: { [labels.drainEligible.key]: 'true' } };
    await client.patch(pods, placeOf(current), { merge: { metadata } });
    return 'requested';
  }

  /** Reports a Pod that others removed, or that is gone. */
  async report(pod: Pod): Promise<ActionResult> {
    const { reporter, memory } = this.#ports;
    const { uid } = pod.metadata;
    await reporter.report(pod, { hasLog: !memory.isVanished(uid) });
    memory.settled(uid);
    return 'requested';
  }

  /** Removes an account of this pool if a fresh read shows no Pod of its name. */
  async sweep(account: ServiceAccount, pool: RunnerPoolObject): Promise<ActionResult> {
    const current = await sameNow(this.#ports.client, serviceAccounts, account);
    if (current === undefined || !isOwnedBy(current, pool)) return 'precondition-lost';
    const { object: pod } = await freshRead(this.#ports.client, pods, placeOf(current));
    if (pod !== undefined || !this.#ports.mayAct()) return 'precondition-lost';
    return (await deleteAsRead(this.#ports.client, serviceAccounts, current))
      ? 'requested'
      : 'precondition-lost';
  }

  /** Reads past the cache, all pages: a partial list is an error. */
  async hasLiving(pool: RunnerPoolObject): Promise<boolean> {
    const { name, namespace = '' } = pool.metadata;
    const labelSelector = `${labels.runnerPool.key}=${name}`;
    let next = '';
    do {
      const query = { namespace, labelSelector, limit: pageSize, ...(next !== '' && { continue: next }) };
      const page = await this.#ports.client.listPage(pods, query);
      if (page.items.some((pod) => isAlive(pod) && isOwnedBy(pod, pool))) return true;
      next = page.continue;
    } while (next !== '');
    return false;
  }

  #count(outcome: 'reported' | 'given-up', pool: RunnerPoolObject): void {
    const key = keyOf(pool);
    if (outcome === 'given-up') this.#unreported.set(key, (this.#unreported.get(key) ?? 0) + 1);
  }

  async #removeAccount(pod: Pod, pool: RunnerPoolObject): Promise<void> {
    const { object: account } = await freshRead(this.#ports.client, serviceAccounts, placeOf(pod));
    if (account !== undefined && isOwnedBy(account, pool) && this.#ports.mayAct())
      await deleteAsRead(this.#ports.client, serviceAccounts, account);
  }
}

/** Whether the decision from the cache still holds for the Pod as last read. */
function isDue({ pod, why }: Retirement, observed: Observed): boolean {
  if (isGoing(pod) || !isOwnedBy(pod, observed.pool)) return false;
  if (why === 'ended') return hasEnded(pod);
  // mutation: busy-pod-is-not-removed
  if (!isAlive(pod) || !isIdle(pod)) return false;
  if (why === 'old-template') return isStale(pod, observed.pool);
  const isUrgent = why === 'node-drain' || why === 'start-timeout' || why === 'unschedulable';
  return !isUrgent || whyNow(pod, observed) === why;
}
