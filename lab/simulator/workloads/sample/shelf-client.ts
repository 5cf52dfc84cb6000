/** The controller's client of the shelf: the only place where a failure becomes one of the five error kinds. */
import type { FailureReason } from '../../../../src/api/conditions/reasons.ts';
import { FleetError } from '../../../../src/platform/errors/fleet-error.ts';
import type { Calls } from '../../engine/calls.ts';
import type { ProcessInstance } from '../../engine/process-instance.ts';
import type { Box, Shelf, ShelfRequest } from './shelf.ts';

const deadlineMs = 10_000;

export class ShelfClient {
  readonly #shelf: Shelf;
  readonly #calls: Calls;
  readonly #caller: ProcessInstance;

  constructor(shelf: Shelf, calls: Calls, caller: ProcessInstance) {
    this.#shelf = shelf;
    this.#calls = calls;
    this.#caller = caller;
  }

  async list(): Promise<readonly Box[]> {
    return this.#ask({ what: 'list' });
  }

  async read(box: string): Promise<Box | undefined> {
    const [found] = await this.#ask({ what: 'read', box });
    return found;
  }

  async put(box: string, owner: string, content: string): Promise<void> {
    await this.#ask({ what: 'put', box, owner, content });
  }

  async wipe(box: string): Promise<void> {
    await this.#ask({ what: 'wipe', box });
  }

  async drop(box: string): Promise<void> {
    await this.#ask({ what: 'drop', box });
  }

  async #ask(request: ShelfRequest): Promise<readonly Box[]> {
    this.#shelf.sending(request, this.#caller.process);
    const end = await this.#calls.call(this.#shelf, { caller: this.#caller, request, deadlineMs });
    if ('broken' in end) throw unavailable('AnswerLost', `${request.what}: the shelf was ${end.broken}`);
    if ('failed' in end.answer) throw unavailable(end.answer.failed, `${request.what}: the shelf failed`);
    return end.answer.boxes;
  }
}

function unavailable(reason: FailureReason, message: string): FleetError {
  return new FleetError('unavailable', { reason, message });
}
