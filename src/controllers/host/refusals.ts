/**
 * Steps that the provider, or the order itself, does not allow. Asking again at once helps nobody: each is asked for less
 * and less often, until it works or until something else is wanted.
 */
import type { HostStep } from '../../fleet/host-table.ts';
import type { MacHostObject } from '../../fleet/objects.ts';
import type { FleetError } from '../../errors/fleet-error.ts';

export interface Refusal {
  readonly reason: string;
  readonly message: string;
  /** It is left alone until then. */
  readonly until: number;
}

interface Known extends Refusal {
  readonly what: string;
  readonly times: number;
}

const firstWaitMs = 30_000;
const waitMaxMs = 10 * 60_000;

/** Kept in memory: after a restart each is asked for once more. */
export class Refusals {
  readonly #known = new Map<string, Known>();

  /** Of this step, for as long as nothing else is wanted. */
  of(host: MacHostObject, step: HostStep): Refusal | undefined {
    const known = this.#known.get(host.metadata.name);
    return known?.what === whatOf(host, step) ? known : undefined;
  }

  note(host: MacHostObject, step: HostStep, { error, now }: { error: FleetError; now: number }): void {
    if (!isRefusal(error)) return;
    const what = whatOf(host, step);
    const before = this.#known.get(host.metadata.name);
    const times = before?.what === what ? before.times + 1 : 1;
    const until = now + Math.min(firstWaitMs * 2 ** (times - 1), waitMaxMs);
    const { reason, message } = error;
    this.#known.set(host.metadata.name, { what, times, until, reason, message });
  }

  /** It worked. Another step that was refused may still be due. */
  done(host: MacHostObject, step: HostStep): void {
    if (this.of(host, step) !== undefined) this.forget(host.metadata.name);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }
}

/** What fails in another way is asked for again by itself, and soon. */
function isRefusal({ kind, reason }: FleetError): boolean {
  return kind === 'rejected' || reason === 'RenameNotSeen';
}

function whatOf({ spec }: MacHostObject, step: HostStep): string {
  return JSON.stringify([step, spec?.claim?.name, spec?.release]);
}
