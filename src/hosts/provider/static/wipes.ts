/**
 * The wipes that this process runs. Each step is safe against a crash: the mark is stored, the command runs, the mark
 * is removed. A crash in between leaves the mark, and so a host that is not ready. Each wipe removes only its own
 * mark: another process may have started a later wipe.
 */
import { isFleetError, type FleetError } from '../../../platform/errors/fleet-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { providerFailure } from '../provider-failure.ts';
import type { HostNote, NoteStore, StaticHost } from './static-host.ts';

export interface WipeHook {
  /** Runs the command that wipes a host. Resolves when the host is wiped and up again; rejects when it may not be. */
  wipe(host: StaticHost, stop: AbortSignal): Promise<void>;
}

export interface WipePorts {
  readonly notes: NoteStore;
  readonly hook: WipeHook;
  readonly mayAct: () => boolean;
  readonly clock: Clock;
  readonly onTrouble: (failure: FleetError) => void;
}

interface Wipe {
  readonly run: string;
  /** The mark is stored, so the wipe may be shown. */
  isStored: boolean;
  /** The time of the first read of this host that showed the wipe. */
  seenAt: number | undefined;
  isOver: boolean;
}

/**
 * The state machine counts a wipe only if it was seen running. So a quick wipe is shown for this long after the first
 * read.
 */
const shownMs = 60_000;

/** The result of a wipe is written until that succeeds: without it the host would be wiped again. */
const writeAgainMs = 10_000;

export class Wipes {
  readonly #ports: WipePorts;
  readonly #wipes = new Map<string, Wipe>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(ports: WipePorts) {
    this.#ports = ports;
  }

  /** Resolves when the command has started. */
  async begin(host: StaticHost, run: string): Promise<void> {
    this.#forget();
    if (this.#wipes.has(host.id)) throw notYet(`host ${host.id} is already being wiped`);
    this.#still(host);
    const wipe: Wipe = { run, isStored: false, seenAt: undefined, isOver: false };
    this.#wipes.set(host.id, wipe);
    try {
      await this.#ports.notes.change(host.id, ({ name }) => ({ name, wipe: run }));
      // Storing the mark took time. Another leader may act by now and sees the mark as a cut-off wipe.
      this.#still(host);
    } catch (error) {
      this.#wipes.delete(host.id);
      throw error;
    }
    wipe.isStored = true;
    const ended = this.#run(host, wipe);
    this.#running.add(ended);
    void ended.finally(() => this.#running.delete(ended));
  }

  /** The hosts to show as being wiped. */
  shown(): ReadonlySet<string> {
    this.#forget();
    return new Set([...this.#wipes].flatMap(([id, { isStored }]) => (isStored ? [id] : [])));
  }

  isBeginning(id: string): boolean {
    return this.#wipes.has(id);
  }

  seen(id: string): void {
    const wipe = this.#wipes.get(id);
    if (wipe !== undefined) wipe.seenAt ??= this.#ports.clock.now();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #run(host: StaticHost, wipe: Wipe): Promise<void> {
    const failure = await this.#failureOf(host);
    if (failure !== undefined) this.#logFailure(host, failure);
    // A wipe cut off with the process leaves its mark, and can be started again.
    if (!this.#stop.signal.aborted || failure === undefined) await this.#note(host, wipe, failure);
    wipe.isOver = true;
    if (failure !== undefined) this.#wipes.delete(host.id);
  }

  #forget(): void {
    const now = this.#ports.clock.now();
    for (const [id, { isOver, seenAt = now }] of this.#wipes)
      if (isOver && now - seenAt >= shownMs) this.#wipes.delete(id);
  }

  #still({ id }: StaticHost): void {
    if (!this.#stop.signal.aborted && this.#ports.mayAct()) return;
    throw notYet(`the wipe of ${id} is left to another replica, because this replica no longer leads`);
  }

  async #failureOf(host: StaticHost): Promise<Error | undefined> {
    try {
      await this.#ports.hook.wipe(host, this.#stop.signal);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #note({ id }: StaticHost, { run }: Wipe, failure: Error | undefined): Promise<void> {
    const next = (before: HostNote): HostNote => {
      if (before.wipe !== run) return before;
      return failure === undefined ? { name: before.name } : { ...before, failure: failure.message };
    };
    while (!(await this.#tryTo(() => this.#ports.notes.change(id, next)))) if (!(await this.#rest())) return;
  }

  async #tryTo(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#ports.onTrouble(error);
      return false;
    }
  }

  /** Returns whether to go on after the pause. */
  async #rest(): Promise<boolean> {
    const { signal } = this.#stop;
    if (signal.aborted) return false;
    const over = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.after(writeAgainMs, over.resolve);
    signal.addEventListener('abort', () => over.resolve(), { once: true });
    await over.promise;
    cancel();
    return !signal.aborted;
  }

  #logFailure({ id }: StaticHost, cause: Error): void {
    const message = `the wipe of ${id} failed, and the host is not used until a wipe succeeds: ${cause.message}`;
    this.#ports.onTrouble(providerFailure('unavailable', { reason: 'WipeFailed', message }, { cause }));
  }
}

function notYet(message: string): FleetError {
  return providerFailure('notYet', { reason: 'TransientState', message });
}
