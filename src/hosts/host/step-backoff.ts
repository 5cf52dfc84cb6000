/**
 * Exponential backoff for steps that the provider or the order itself does not allow. Each step is retried ever more
 * slowly, until it succeeds or another step is due.
 */
import { backoffMs } from '../../platform/backoff.ts';
import type { HostStep } from '../state/host-steps.ts';
import type { MacHostObject } from '../state/objects.ts';
import type { FleetError } from '../../platform/errors/fleet-error.ts';

export interface Refusal {
  readonly reason: string;
  readonly message: string;
  /** No attempt is made until then. */
  readonly until: number;
}

interface Known extends Refusal {
  readonly what: string;
  readonly times: number;
}

/**
 * A request that the provider rejects, or accepts without effect, may need a person. Other failures may pass within
 * seconds.
 */
const waits = {
  lasting: { firstMs: 30_000, maxMs: 10 * 60_000 },
  usual: { firstMs: 5000, maxMs: 60_000 },
};

/** Kept in memory: after a restart each step is tried once more. */
export class StepBackoff {
  readonly #known = new Map<string, Known>();
  /** Prevents counting one failure twice. */
  readonly #noted = new WeakSet<FleetError>();

  /** Applies only while the same step with the same order is due. */
  of(host: MacHostObject, step: HostStep): Refusal | undefined {
    const known = this.#known.get(host.metadata.name);
    return known?.what === whatOf(host, step) ? known : undefined;
  }

  note(host: MacHostObject, step: HostStep, { error, now }: { error: FleetError; now: number }): void {
    if (this.#noted.has(error)) return;
    this.#noted.add(error);
    const what = whatOf(host, step);
    const before = this.#known.get(host.metadata.name);
    const times = before?.what === what ? before.times + 1 : 1;
    const { reason, message, retryAt = now } = error;
    const backoff = isLasting(error) ? waits.lasting : waits.usual;
    const until = Math.max(retryAt, now + backoffMs(backoff, times));
    this.#known.set(host.metadata.name, { what, times, until, reason, message });
  }

  /** The backoff of another step stays. */
  done(host: MacHostObject, step: HostStep): void {
    if (this.of(host, step) !== undefined) this.forget(host.metadata.name);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }
}

function isLasting({ kind, reason }: FleetError): boolean {
  return kind === 'rejected' || reason === 'RenameNotSeen';
}

function whatOf({ spec }: MacHostObject, step: HostStep): string {
  return JSON.stringify([step, spec?.claim?.name, spec?.release]);
}
