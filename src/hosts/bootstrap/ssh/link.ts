/** A TCP connection with its SSH client. The first failure destroys both and ends everything that waits on them. */
import type { Socket } from 'node:net';
import ssh2 from 'ssh2';
import type { Clock } from '../../../platform/clock.ts';
import { canceled, SshError, type SshFailure } from './errors.ts';

const closeMs = 2_000;

export interface LinkParts {
  readonly clock: Clock;
  readonly socket: Socket;
  /** The address with the port, for messages. */
  readonly host: string;
  readonly signal: AbortSignal | undefined;
}

export class Link {
  readonly clock: Clock;
  readonly socket: Socket;
  readonly host: string;
  readonly client = new ssh2.Client();
  readonly #ends = new AbortController();
  #failure: SshError | undefined;

  constructor({ clock, socket, host, signal }: LinkParts) {
    this.clock = clock;
    this.socket = socket;
    this.host = host;
    const cancel = (): void => this.fail(canceled, signal?.reason);
    signal?.addEventListener('abort', cancel);
    this.#ends.signal.addEventListener('abort', () => signal?.removeEventListener('abort', cancel));
  }

  /** Aborted with the failure that ended the link. */
  get ended(): AbortSignal {
    return this.#ends.signal;
  }

  /** Errors of the library are no `cause`: they hold text of the host, of any length. */
  fail(failure: SshFailure, cause?: unknown): void {
    this.#end(failure, cause);
    this.socket.destroy();
  }

  /** Waits no longer than the link lives, so that nothing waits for an event that cannot come. */
  async whileAlive<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const end = (): void => reject(this.#failure);
    this.ended.addEventListener('abort', end);
    if (this.ended.aborted) end();
    try {
      return await Promise.race([promise, work]);
    } finally {
      this.ended.removeEventListener('abort', end);
    }
  }

  /** Work that takes longer ends the link: a wedged channel cannot be closed, and its next one would wedge as well. */
  async within<T>(limitMs: number, during: () => string, work: Promise<T>): Promise<T> {
    const cancel = this.clock.after(limitMs, () => {
      this.fail({ kind: 'timed-out', during: during(), limitMs });
    });
    try {
      return await this.whileAlive(work);
    } finally {
      cancel();
    }
  }

  /** Tells the host, but does not wait for long: the host may be wedged. */
  async close(): Promise<void> {
    this.#end({ kind: 'connection-lost', why: 'it was closed', isCanceled: true });
    if (this.socket.destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.socket.once('close', () => resolve());
    const cancel = this.clock.after(closeMs, () => void this.socket.destroy());
    this.client.end();
    await promise;
    cancel();
  }

  #end(failure: SshFailure, cause?: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = new SshError(this.host, failure, cause);
    this.#ends.abort(this.#failure);
  }
}
