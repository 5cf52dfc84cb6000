/**
 * The agent of one Node: registers the Node, renews its Lease, and runs the Pods bound to it. A driver runs the
 * containers, so that the same agent lives on a Mac, in a test process and in a simulated world.
 */
import { setMaxListeners } from 'node:events';
import { pods, type Pod } from '../kube/client/builtin-resources.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { Informer } from '../kube/informer/informer.ts';
import type { Clock } from '../platform/clock.ts';
import type { FleetError } from '../platform/errors/fleet-error.ts';
import type { Random } from '../platform/random.ts';
import type { Driver } from './drivers/port.ts';
import { heartbeatDefaultMs, keepLease } from './node/lease-heartbeat.ts';
import { keepNode, registerNode, statusDefaultMs } from './node/node-keeper.ts';
import type { NodeShape } from './node/node-object.ts';
import { keepOwnToken, type TokenFile } from './own-token.ts';
import { PodRun } from './pods/pod-run.ts';
import { firstStep } from './pods/pod-table.ts';

export interface AgentOptions {
  readonly client: KubeClient;
  /** Renews the Lease and nothing else; `client` unless given. */
  readonly leaseClient?: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly node: NodeShape;
  readonly driver: Driver;
  /** The file with the token of the agent, which is renewed at half its life. */
  readonly tokenFile?: TokenFile;
  /** Ends Pods that a dead agent left and that are no longer bound to the Node; called once, with the present uids. */
  readonly removeOtherPods?: (present: ReadonlySet<string>) => Promise<void>;
  /** Receives each failure that is retried. */
  readonly log: (text: string) => void;
  /** Receives an error that is a bug; without it, `done` is rejected. */
  readonly onFault?: (error: unknown) => void;
  readonly heartbeatMs?: number;
  readonly statusMs?: number;
}

export class Agent {
  /** Rejected with an error that is a bug. */
  readonly done: Promise<void>;
  readonly #options: AgentOptions;
  readonly #informer: Informer<Pod>;
  readonly #stopping = new AbortController();
  readonly #failed = Promise.withResolvers<void>();
  /** By namespace and name. A run stays until its Pod is gone, so that no Pod is begun twice. */
  readonly #runs = new Map<string, PodRun>();
  readonly #busy = new Set<Promise<void>>();

  constructor(options: AgentOptions) {
    this.#options = options;
    // Every Pod that waits for the API server listens to the signal.
    setMaxListeners(0, this.#stopping.signal);
    this.done = this.#failed.promise;
    const { client, clock, random, log, node } = options;
    this.#informer = new Informer({
      client,
      resource: pods,
      clock,
      random,
      scope: { fieldSelector: `spec.nodeName=${node.name}` },
      onTrouble: ({ reason, message }: FleetError) => log(`${reason}: ${message}`),
      onListenerFault: (error) => this.#fault(error),
    });
  }

  start(): void {
    const { heartbeatMs = heartbeatDefaultMs, statusMs = statusDefaultMs, ...rest } = this.#options;
    const { client, leaseClient = client, node } = rest;
    const ports = { ...rest, stopped: this.#stopping.signal };
    const register = () => registerNode(ports);
    this.#follow(keepLease({ ...ports, leaseClient, nodeName: node.name, register }, heartbeatMs));
    this.#follow(keepNode(ports, statusMs));
    if (rest.tokenFile !== undefined) this.#follow(keepOwnToken({ ...ports, file: rest.tokenFile }));
    this.#informer.listen(({ key, object }) => this.#see(key, object));
    this.#informer.start();
    this.#follow(this.#removeOtherPods());
  }

  /** Ends without a write. The driver decides what becomes of the containers; the next agent of the Node resumes them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const run of this.#runs.values()) run.leaveBehind();
    await this.#informer.stop();
    await Promise.all(this.#busy);
  }

  #see(key: string, pod: Pod | undefined): void {
    const known = this.#runs.get(key);
    if (pod !== undefined && known?.uid === pod.metadata.uid) return known.see(pod);
    known?.vanish();
    this.#runs.delete(key);
    if (pod === undefined || this.#stopping.signal.aborted) return;
    const run = new PodRun({ ...this.#options, stopped: this.#stopping.signal }, pod);
    this.#runs.set(key, run);
    this.#follow(this.#begin(run, pod));
  }

  /** After the first complete list: a Pod that is not in it was deleted while no agent ran. */
  async #removeOtherPods(): Promise<void> {
    const { removeOtherPods } = this.#options;
    if (removeOtherPods === undefined) return;
    const stopped = new Promise<void>((resolve) =>
      this.#stopping.signal.addEventListener('abort', () => resolve()),
    );
    await Promise.race([this.#informer.synced(), stopped]);
    if (this.#stopping.signal.aborted) return;
    await removeOtherPods(new Set([...this.#runs.values()].map(({ uid }) => uid)));
  }

  async #begin(run: PodRun, pod: Pod): Promise<void> {
    const step = firstStep(pod, run.isKnownToDriver);
    if (step === 'await-removal') return run.awaitRemoval();
    return step === 'fail' ? run.abandon() : run.live();
  }

  #follow(work: Promise<void>): void {
    const followed = work
      .catch((error: unknown) => this.#fault(error))
      .finally(() => void this.#busy.delete(followed));
    this.#busy.add(followed);
  }

  #fault(error: unknown): void {
    const { onFault } = this.#options;
    if (onFault === undefined) this.#failed.reject(error instanceof Error ? error : new Error(String(error)));
    else onFault(error);
  }
}
