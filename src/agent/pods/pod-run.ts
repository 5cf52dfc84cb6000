/**
 * One Pod on a Node, from when the agent takes the Pod up until it is over. Nothing runs before the API server has stored
 * that the Pod was taken up: the agent after a crash must see that.
 */
import type { Container, PodStatus } from 'kubernetes-types/core/v1.js';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { fieldsOf } from '../../kube/client/fields.ts';
import type { ContainerEnd, ContainerSignals, Driver, PodSandbox } from '../drivers/port.ts';
import type { NodeShape } from '../node/node-object.ts';
import { environmentOf } from './container-env.ts';
import { abandonedStatus, isSidecar, outline, statusOf, type ContainerRecord } from './pod-status.ts';
import { tokenFor } from './pod-token.ts';
import { StatusWriter, type WriterPorts } from './status-writer.ts';

export interface PodPorts extends WriterPorts {
  readonly node: NodeShape;
  readonly driver: Driver;
}

const killed: ContainerEnd = { exitCode: 137, reason: 'Error' };

export class PodRun {
  readonly uid: string;
  readonly #ports: PodPorts;
  readonly #writer: StatusWriter;
  readonly #sandbox: PodSandbox;
  readonly #containers = new Map<string, ContainerRecord>();
  readonly #term = new AbortController();
  readonly #sidecarTerm = new AbortController();
  readonly #kill = new AbortController();
  readonly #detach = new AbortController();
  /** Resolved when the Pod is being deleted, or is gone. */
  readonly #leaving = Promise.withResolvers<void>();
  readonly #startedAt: number;
  #pod: Pod;
  /** The status last written, or found. */
  #wanted: PodStatus | undefined;
  #isOver = false;
  #cancelKill: () => void = () => undefined;

  constructor(ports: PodPorts, pod: Pod) {
    this.#ports = ports;
    this.#pod = pod;
    const { name, namespace = '', uid } = pod.metadata;
    this.uid = uid;
    this.#startedAt = startOf(pod) ?? ports.clock.now();
    this.#writer = new StatusWriter(ports, pod, (stored) => this.#lookAgain(stored));
    this.#sandbox = ports.driver({ name, namespace, uid, nodeName: ports.node.name, os: ports.node.os });
  }

  get isKnownToDriver(): boolean {
    return this.#sandbox.isKnown === true;
  }

  /** Resolves when nothing of the Pod runs and everything is written, or when the agent ends. */
  async live(): Promise<void> {
    this.see(this.#pod);
    if ((await this.#report()) === 'gone') return;
    await this.#runAll();
    if (this.#detach.signal.aborted) return;
    await this.#sandbox.close?.();
    this.#cancelKill();
    this.#isOver = true;
    if ((await this.#report()) === 'done') await this.awaitRemoval();
  }

  /** An earlier agent began the Pod and its containers are unknown: the Pod has failed. */
  async abandon(): Promise<void> {
    const { clock } = this.#ports;
    this.#isOver = true;
    if ((await this.#write(abandonedStatus(this.#pod, clock.now()))) === 'done') await this.awaitRemoval();
  }

  /** The Pod is over. Once it is being deleted, the agent confirms the deletion. */
  async awaitRemoval(): Promise<void> {
    this.#isOver = true;
    this.#wanted ??= this.#pod.status;
    this.see(this.#pod);
    await this.#leaving.promise;
    await this.#writer.remove();
  }

  /** Takes in a change of the Pod. */
  see(pod: Pod): void {
    this.#pod = pod;
    this.#correct();
    if (pod.metadata.deletionTimestamp === undefined) return;
    this.#leaving.resolve();
    if (this.#isOver) return;
    this.#term.abort();
    const grace = fieldsOf(pod.metadata)['deletionGracePeriodSeconds'];
    this.#cancelKill();
    this.#cancelKill = this.#ports.clock.after(Number(grace ?? 0) * 1000, () => this.#kill.abort());
  }

  /** The Pod is gone: its containers are killed. */
  vanish(): void {
    this.#leaving.resolve();
    this.#cancelKill();
    this.#term.abort();
    this.#sidecarTerm.abort();
    this.#kill.abort();
  }

  /** The agent ends. Containers that outlive it go on; the others are killed. */
  leaveBehind(): void {
    this.#detach.abort();
    if (this.#sandbox.outlivesAgent !== true) return this.vanish();
    this.#leaving.resolve();
    this.#cancelKill();
  }

  async #runAll(): Promise<void> {
    const { initContainers = [], containers = [] } = this.#pod.spec ?? {};
    const sidecars: Promise<ContainerEnd>[] = [];
    if (await this.#initialize(initContainers, sidecars))
      await Promise.all(containers.map((container) => this.#runOne(container)));
    if (!this.#detach.signal.aborted) this.#sidecarTerm.abort();
    await Promise.all(sidecars);
  }

  /** False where an init container failed, or where the Pod is being deleted. */
  async #initialize(containers: readonly Container[], sidecars: Promise<ContainerEnd>[]): Promise<boolean> {
    for (const container of containers) {
      if (this.#term.signal.aborted) return false;
      const running = this.#runOne(container);
      if (isSidecar(container)) sidecars.push(running);
      else if ((await running).exitCode !== 0) return false;
    }
    return !this.#term.signal.aborted;
  }

  async #runOne(container: Container): Promise<ContainerEnd> {
    const { clock } = this.#ports;
    const since = clock.now();
    this.#containers.set(container.name, { is: 'running', since });
    void this.#report();
    const end = await this.#endOf(container);
    if (this.#detach.signal.aborted) return end;
    this.#containers.set(container.name, { is: 'ended', since, at: clock.now(), end });
    void this.#report();
    return end;
  }

  /** A container that is killed counts as ended at once, also where the process does not end. */
  async #endOf(container: Container): Promise<ContainerEnd> {
    const term = (isSidecar(container) ? this.#sidecarTerm : this.#term).signal;
    const signals: ContainerSignals = { term, kill: this.#kill.signal, detach: this.#detach.signal };
    const { name, image = '', command = [], args = [], env = [] } = container;
    const token = tokenFor(this.#ports, this.#pod, container);
    const dead = Promise.withResolvers<ContainerEnd>();
    const die = (): void => dead.resolve(killed);
    for (const signal of [signals.kill, this.#detach.signal]) signal.addEventListener('abort', die);
    if (signals.kill.aborted) die();
    try {
      const order = { name, image, command, args, env: environmentOf(this.#pod, env), token };
      return await Promise.race([this.#sandbox.run(order, signals), dead.promise]);
    } catch (error) {
      return { exitCode: 128, reason: 'StartError', log: String(error) };
    } finally {
      for (const signal of [signals.kill, this.#detach.signal]) signal.removeEventListener('abort', die);
    }
  }

  async #report(): Promise<'done' | 'gone'> {
    const { clock } = this.#ports;
    const record = { startedAt: this.#startedAt, containers: this.#containers, isOver: this.#isOver };
    return this.#write(statusOf(this.#pod, record, clock.now()));
  }

  async #write(status: PodStatus): Promise<'done' | 'gone'> {
    this.#wanted = status;
    return this.#writer.write(status);
  }

  /** A request of long ago, also of a dead agent, may take effect late and undo what was stored after it. */
  #correct(): void {
    if (this.#wanted === undefined || this.#writer.isWriting) return;
    if (outline(this.#pod.status) !== outline(this.#wanted)) void this.#writer.write(this.#wanted);
  }

  /** A change that lands while a status is on its way is seen before the answer, and no later event shows it. */
  #lookAgain(stored: unknown): void {
    if (versionOf(this.#pod) > versionOf(stored)) this.#correct();
  }
}

function startOf({ status = {} }: Pod): number | undefined {
  return status.startTime === undefined ? undefined : Date.parse(status.startTime);
}

/** Versions of one server can be compared. */
function versionOf(pod: unknown): number {
  return Number(fieldsOf(fieldsOf(pod)['metadata'])['resourceVersion']);
}
