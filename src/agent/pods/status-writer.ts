/** Writes the status of one Pod until it is stored; of several that wait only the last one matters. */
import type { PodStatus } from 'kubernetes-types/core/v1.js';
import { isFleetError, FleetError } from '../../platform/errors/fleet-error.ts';
import { pods, type Pod } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { retryUntilDone, type RetryPorts } from '../retry-until-done.ts';

export interface WriterPorts extends RetryPorts {
  readonly client: KubeClient;
}

export class StatusWriter {
  readonly #ports: WriterPorts;
  readonly #pod: Pod;
  readonly #onStored: (stored: unknown) => void;
  #wanted: PodStatus = {};
  #answer: unknown;
  #writing: Promise<'done' | 'gone'> | undefined;

  /** `onStored` is told of the Pod as it is with the last status that was written, when no other is on its way. */
  constructor(ports: WriterPorts, pod: Pod, onStored: (stored: unknown) => void) {
    this.#ports = ports;
    this.#pod = pod;
    this.#onStored = onStored;
  }

  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  /** Resolves when this or a later one is stored, or there is no such Pod any more. */
  async write(status: PodStatus): Promise<'done' | 'gone'> {
    this.#wanted = status;
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /** Takes the Pod out of the API: all of it has ended. */
  async remove(): Promise<void> {
    const { client } = this.#ports;
    const { uid } = this.#pod.metadata;
    await retryUntilDone(this.#ports, () =>
      this.#sure(() => client.delete(pods, this.#place, { uid, graceSeconds: 0 })),
    );
  }

  get #place() {
    const { name, namespace = '' } = this.#pod.metadata;
    return { name, namespace };
  }

  async #writeAll(): Promise<'done' | 'gone'> {
    const { client } = this.#ports;
    const { uid } = this.#pod.metadata;
    const place = { ...this.#place, subresource: 'status' };
    for (;;) {
      const status = this.#wanted;
      const patch = { merge: { metadata: { uid }, status } };
      const end = await retryUntilDone(this.#ports, () => this.#sure(() => client.patch(pods, place, patch)));
      if (end === 'done' && status !== this.#wanted) continue;
      this.#writing = undefined;
      if (end === 'done') this.#onStored(this.#answer);
      return end;
    }
  }

  /** A refusal may mean that another Pod has the name by now; then this one is gone. */
  async #sure(work: () => Promise<unknown>): Promise<void> {
    try {
      this.#answer = await work();
    } catch (error) {
      if (!isFleetError(error, 'conflict') && !isFleetError(error, 'rejected')) throw error;
      const found = await this.#ports.client.find(pods, this.#place);
      if (found?.metadata.uid === this.#pod.metadata.uid) throw error;
      throw new FleetError('gone', { reason: 'OtherPod', message: 'another Pod has the name' });
    }
  }
}
