/**
 * The database of dispatch as a service of a world: the model in memory, behind a link that can clog and a server that
 * can fail. Each verb is done at one instant, and once: no driver repeats a transaction by itself.
 */
import type { MemoryStore } from '../../../../src/dispatch/store/model/memory-store.ts';
import { FleetError } from '../../../../src/platform/errors/fleet-error.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import type { Arrival, Asked, Effect, Service } from '../../engine/call.ts';
import type { Calls } from '../../engine/calls.ts';
import type { ServiceFault } from '../../faults/effect-fault.ts';
import type { ProcessInstance } from '../../engine/process-instance.ts';
import type { Links } from '../network-link.ts';

interface Question {
  readonly verb: string;
  readonly run: () => Promise<unknown>;
}

type Answer = { readonly value: unknown } | { readonly failed: FleetError };
type ErrorReason = Extract<ServiceFault, { kind: 'error' }>['reason'];

const linkName = 'database';
const deadlineMs = 10_000;
const notifyMs = 5;

const unavailable = new FleetError('unavailable', {
  reason: 'DatabaseUnavailable',
  message: 'the database does not answer',
});
const unknown = new FleetError('unavailable', {
  reason: 'OutcomeUnknown',
  message: 'the connection to the database ended during a commit',
});
const locked = new FleetError('notYet', {
  reason: 'Locked',
  message: 'another replica is busy with the same rows',
});

/** Errors in place of the result. */
const errors: Readonly<Record<ErrorReason, FleetError>> = {
  InternalError: unavailable,
  ServiceUnavailable: unavailable,
  TooManyRequests: unavailable,
  Forbidden: unavailable,
  Conflict: locked,
  Timeout: locked,
};

const reads: ReadonlySet<string> = new Set([
  'job',
  'jobs',
  'queuedPools',
  'claims',
  'openSessions',
  'lastSession',
  'sessionsOf',
  'signals',
  'accounts',
  'account',
  'installations',
  'installation',
  'usage',
  'profiles',
  'leases',
  'acts',
  'jobSources',
]);

/** Writes after which a waiting Pod may get something; the server of the product notifies of the same writes. */
const events: ReadonlySet<string> = new Set([
  'ingest',
  'apply',
  'release',
  'podStopped',
  'abandon',
  'settle',
]);

export interface DatabaseOptions {
  readonly clock: Clock;
  readonly links: Links;
  /** Called after each write, before any notification. */
  readonly written: () => void;
  readonly did: (kind: ServiceFault['kind']) => void;
}

export class Database implements Service<Question, Answer> {
  readonly name = linkName;
  readonly latencyMs = { least: 1, most: 40 };
  readonly #model: MemoryStore;
  readonly #options: DatabaseOptions;
  readonly #done = new WeakSet<Effect>();
  readonly #listeners = new Map<ProcessInstance, () => void>();
  #shown: Readonly<Record<string, readonly unknown[]>> = {};
  #hasChanged = false;

  constructor(model: MemoryStore, options: DatabaseOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** The store as a process reaches it. */
  storeFor(caller: ProcessInstance, calls: Calls): MemoryStore {
    return new Proxy(this.#model, {
      get: (model, verb) => {
        const method: unknown = Reflect.get(model, verb);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          const run = async (): Promise<unknown> => Reflect.apply(method, model, args);
          const end = await calls.call(this, { caller, request: { verb: String(verb), run }, deadlineMs });
          if ('broken' in end)
            throw end.broken === 'refused' || reads.has(String(verb)) ? unavailable : unknown;
          if ('failed' in end.answer) throw end.answer.failed;
          return end.answer.value;
        };
      },
    });
  }

  /**
   * Wakes the listener some moments after a write, like a notification of the server; what a clogged link loses is
   * lost.
   */
  listen(listener: ProcessInstance, wake: () => void): () => void {
    this.#listeners.set(listener, wake);
    const stop = (): void => void this.#listeners.delete(listener);
    listener.atDeath(stop);
    return stop;
  }

  /** Reads by these names return these rows, like a lagging copy, until the returned function is called. */
  show(rows: Readonly<Record<string, readonly unknown[]>>): () => void {
    this.#shown = rows;
    return () => {
      this.#shown = {};
    };
  }

  ask({ verb }: Question): Asked {
    return { operation: verb, about: '', isWrite: !reads.has(verb), kinds: ['error'], link: linkName };
  }

  async apply({ verb, run }: Question, { effect, faults, mayRepeat }: Arrival): Promise<Answer> {
    const error = faults.find((fault) => fault.kind === 'error');
    if (error !== undefined) {
      this.#options.did(error.kind);
      return { failed: errors[error.reason] };
    }
    if (this.#done.has(effect)) return { value: undefined };
    if (mayRepeat) this.#done.add(effect);
    const shown = this.#shown[verb];
    if (shown !== undefined) return { value: shown };
    const value = await run();
    if (!reads.has(verb)) this.#options.written();
    if (events.has(verb)) this.#notify();
    return { value };
  }

  /** Many writes of one instant are one notification. */
  #notify(): void {
    const { clock, links } = this.#options;
    if (this.#hasChanged) return;
    this.#hasChanged = true;
    clock.after(notifyMs, () => {
      this.#hasChanged = false;
      for (const [listener, wake] of this.#listeners)
        links
          .between(listener.process, linkName)
          .pass({ arrive: () => listener.deliver(wake), lose: () => undefined });
    });
  }

  outcome(answer: Answer): string {
    return 'failed' in answer ? answer.failed.reason : wordFor(answer.value);
  }
}

/** Shortens a value to what a timeline needs; whole rows are too long for a line. */
function wordFor(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? `${value.length} rows` : 'ok';
}
