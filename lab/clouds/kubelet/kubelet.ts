/**
 * A simulated kubelet: one Node, and the Pods on it, over any Kubernetes API. What runs in the Pods is behind a port, so
 * that the same kubelet lives in a process of its own and in a simulated world.
 */
import { setMaxListeners } from 'node:events';
import type { FleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { Informer } from '../../../src/kube/informer/informer.ts';
import { pods, type Pod } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Inhabitant } from '../../simulator/engine/process.ts';
import type { MakeGuest } from './guest.ts';
import { keepNode } from './node-keeper.ts';
import type { NodeShape } from './node-record.ts';
import { PodRun } from './pod-run.ts';

export interface KubeletOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly node: NodeShape;
  readonly guests: MakeGuest;
  /** Told of what went wrong; it is being dealt with. */
  readonly log: (text: string) => void;
  /** Told of a fault of our own; it is thrown at whoever runs the process unless given. */
  readonly onFault?: (error: unknown) => void;
  /** How often the Lease of the Node is renewed. */
  readonly heartbeatMs?: number;
}

const heartbeatDefaultMs = 10_000;
const finished = new Set(['Succeeded', 'Failed']);

export class Kubelet implements Inhabitant {
  /** Rejected with a fault of our own. */
  readonly done: Promise<void>;
  readonly #options: KubeletOptions;
  readonly #informer: Informer<Pod>;
  readonly #stopping = new AbortController();
  readonly #failed = Promise.withResolvers<void>();
  /** By key; one stays until its Pod is gone, so that none is begun twice. */
  readonly #runs = new Map<string, PodRun>();
  readonly #busy = new Set<Promise<void>>();

  constructor(options: KubeletOptions) {
    this.#options = options;
    // Every Pod that waits for the server listens to it.
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
    const { heartbeatMs = heartbeatDefaultMs, ...rest } = this.#options;
    this.#follow(keepNode({ ...rest, heartbeatMs, stopped: this.#stopping.signal }));
    this.#informer.listen(({ key, object }) => this.#see(key, object));
    this.#informer.start();
  }

  /** Whatever runs is killed, and nothing is written of it: the next kubelet of this Node finds out. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const run of this.#runs.values()) run.vanish();
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
    this.#follow(begin(run, pod));
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

async function begin(run: PodRun, { status = {} }: Pod): Promise<void> {
  if (finished.has(status.phase ?? '')) return run.awaitRemoval();
  return status.startTime === undefined ? run.live() : run.abandon();
}
