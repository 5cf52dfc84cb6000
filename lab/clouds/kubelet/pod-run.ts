/**
 * One Pod on a Node, from when the kubelet takes it up until it is over. Nothing runs before the server has stored that
 * it was taken up: whoever comes after a crash must see that.
 */
import type { Container, PodStatus } from 'kubernetes-types/core/v1.js';
import type { Pod } from '../../../src/kube/client/builtin-resources.ts';
import { fieldsOf } from '../../../src/kube/client/fields.ts';
import { environmentOf } from './container-env.ts';
import type { Guest, GuestEnd, GuestSignals, MakeGuest } from './guest.ts';
import type { NodeShape } from './node-record.ts';
import { abandonedStatus, isSidecar, outline, statusOf, type ContainerRecord } from './pod-status.ts';
import { tokenFor } from './pod-token.ts';
import { StatusWriter, type WriterPorts } from './status-writer.ts';

export interface PodPorts extends WriterPorts {
  readonly node: NodeShape;
  readonly guests: MakeGuest;
}

const killed: GuestEnd = { exitCode: 137, reason: 'Error' };

export class PodRun {
  readonly uid: string;
  readonly #ports: PodPorts;
  readonly #writer: StatusWriter;
  readonly #containers = new Map<string, ContainerRecord>();
  readonly #term = new AbortController();
  readonly #sidecarTerm = new AbortController();
  readonly #kill = new AbortController();
  /** Somebody wants the Pod deleted, or it is gone. */
  readonly #leaving = Promise.withResolvers<void>();
  readonly #startedAt: number;
  #pod: Pod;
  /** What was last written of it, or found. */
  #wanted: PodStatus | undefined;
  #isOver = false;
  #cancelKill: () => void = () => undefined;

  constructor(ports: PodPorts, pod: Pod) {
    this.#ports = ports;
    this.#pod = pod;
    this.uid = pod.metadata.uid;
    this.#startedAt = ports.clock.now();
    this.#writer = new StatusWriter(ports, pod, (stored) => this.#lookAgain(stored));
  }

  /** Resolves when nothing of it runs and everything is written. */
  async live(): Promise<void> {
    this.see(this.#pod);
    if ((await this.#report()) === 'gone') return;
    const guest = this.#guest();
    await this.#runAll(guest);
    await guest.close?.();
    this.#cancelKill();
    this.#isOver = true;
    if ((await this.#report()) === 'done') await this.awaitRemoval();
  }

  /** A kubelet before this one began it: it is not begun again. */
  async abandon(): Promise<void> {
    const { clock } = this.#ports;
    this.#isOver = true;
    if ((await this.#write(abandonedStatus(this.#pod, clock.now()))) === 'done') await this.awaitRemoval();
  }

  /** It is over. Once somebody wants it deleted, it is taken out of the API. */
  async awaitRemoval(): Promise<void> {
    this.#isOver = true;
    this.#wanted ??= this.#pod.status;
    this.see(this.#pod);
    await this.#leaving.promise;
    await this.#writer.remove();
  }

  /** The Pod has changed. */
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

  /** The Pod is no more, or the kubelet: whatever runs is killed. */
  vanish(): void {
    this.#leaving.resolve();
    this.#cancelKill();
    this.#term.abort();
    this.#sidecarTerm.abort();
    this.#kill.abort();
  }

  async #runAll(guest: Guest): Promise<void> {
    const { initContainers = [], containers = [] } = this.#pod.spec ?? {};
    const sidecars: Promise<GuestEnd>[] = [];
    let isFine = true;
    for (const container of initContainers) {
      if (!isFine || this.#term.signal.aborted) break;
      const running = this.#runOne(guest, container);
      if (isSidecar(container)) sidecars.push(running);
      else isFine = (await running).exitCode === 0;
    }
    if (isFine && !this.#term.signal.aborted)
      await Promise.all(containers.map((container) => this.#runOne(guest, container)));
    this.#sidecarTerm.abort();
    await Promise.all(sidecars);
  }

  async #runOne(guest: Guest, container: Container): Promise<GuestEnd> {
    const { clock } = this.#ports;
    const since = clock.now();
    this.#containers.set(container.name, { is: 'running', since });
    void this.#report();
    const end = await this.#endOf(guest, container);
    this.#containers.set(container.name, { is: 'ended', since, at: clock.now(), end });
    void this.#report();
    return end;
  }

  /** Of one that does not end when it is killed, nobody waits for the end. */
  async #endOf(guest: Guest, container: Container): Promise<GuestEnd> {
    const term = (isSidecar(container) ? this.#sidecarTerm : this.#term).signal;
    const signals: GuestSignals = { term, kill: this.#kill.signal };
    const { name, image = '', command = [], args = [], env = [] } = container;
    const token = tokenFor(this.#ports, this.#pod, container);
    const dead = Promise.withResolvers<GuestEnd>();
    const die = (): void => dead.resolve(killed);
    signals.kill.addEventListener('abort', die);
    if (signals.kill.aborted) die();
    try {
      const order = { name, image, command, args, env: environmentOf(this.#pod, env), token };
      return await Promise.race([guest.run(order, signals), dead.promise]);
    } catch (error) {
      return { exitCode: 128, reason: 'StartError', log: String(error) };
    } finally {
      signals.kill.removeEventListener('abort', die);
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

  /** What was sent long ago may land late, from a kubelet that is dead as well, and undo what was stored after it. */
  #correct(): void {
    if (this.#wanted === undefined || this.#writer.isWriting) return;
    if (outline(this.#pod.status) !== outline(this.#wanted)) void this.#writer.write(this.#wanted);
  }

  /** What lands while a status is on its way is seen before that one is answered, and nobody tells of it again. */
  #lookAgain(stored: unknown): void {
    if (versionOf(this.#pod) > versionOf(stored)) this.#correct();
  }

  #guest(): Guest {
    const { node, guests } = this.#ports;
    const { name, namespace = '', uid } = this.#pod.metadata;
    return guests({ name, namespace, uid, nodeName: node.name, os: node.os });
  }
}

/** Of one server, so that they can be compared. */
function versionOf(pod: unknown): number {
  return Number(fieldsOf(fieldsOf(pod)['metadata'])['resourceVersion']);
}
