/**
 * A service outside of Kubernetes: a shelf of boxes. The shelf lists its boxes, stores the content of each, and
 * overwrites on every request; there are no conditional writes.
 */
import type { Arrival, Asked, Service } from '../../engine/call.ts';

export type ShelfRequest =
  | { readonly what: 'list' }
  | { readonly what: 'read'; readonly box: string }
  /** Adds the box to the list, with this content. */
  | { readonly what: 'put'; readonly box: string; readonly owner: string; readonly content: string }
  | { readonly what: 'wipe'; readonly box: string }
  | { readonly what: 'drop'; readonly box: string };

export interface Box {
  readonly box: string;
  readonly owner: string;
  readonly content: string | undefined;
}

export type ShelfAnswer = { readonly boxes: readonly Box[] } | { readonly failed: 'InternalError' };

/** Called for each request at the moment of its send. */
export type Sent = (request: ShelfRequest, process: string) => void;

export class Shelf implements Service<ShelfRequest, ShelfAnswer> {
  readonly name = 'shelf';
  readonly latencyMs = { least: 5, most: 400 };
  readonly #list = new Map<string, string>();
  readonly #contents = new Map<string, string>();
  readonly #ever = new Set<string>();
  readonly #sent: Sent;

  constructor(sent: Sent) {
    this.#sent = sent;
  }

  get boxes(): readonly Box[] {
    return [...this.#list].map(([box, owner]) => ({ box, owner, content: this.#contents.get(box) }));
  }

  /** Contents of boxes that are no longer listed, and so are lost. */
  get forgotten(): readonly string[] {
    return [...this.#contents.keys()].filter((box) => !this.#list.has(box));
  }

  /** Whether the box ever held this content. */
  held(box: string, content: string): boolean {
    return this.#ever.has(`${box} ${content}`);
  }

  ask(request: ShelfRequest): Asked {
    const about = 'box' in request ? request.box.slice(0, 8) : '';
    const isWrite = request.what !== 'list' && request.what !== 'read';
    return { operation: request.what, about, isWrite, kinds: ['error'], link: 'shelf' };
  }

  /** Reports a request before any fault in transit. */
  sending(request: ShelfRequest, process: string): void {
    this.#sent(request, process);
  }

  apply(request: ShelfRequest, { faults }: Arrival): ShelfAnswer {
    const error = faults.find(({ kind }) => kind === 'error');
    if (error !== undefined) return { failed: 'InternalError' };
    return { boxes: this.#do(request) };
  }

  outcome(answer: ShelfAnswer): string {
    return 'failed' in answer ? answer.failed : `${answer.boxes.length} boxes`;
  }

  #do(request: ShelfRequest): readonly Box[] {
    switch (request.what) {
      case 'list':
        return this.boxes;
      case 'read':
        return this.boxes.filter(({ box }) => box === request.box);
      case 'put':
        this.#list.set(request.box, request.owner);
        this.#contents.set(request.box, request.content);
        this.#ever.add(`${request.box} ${request.content}`);
        return [];
      case 'wipe':
        this.#contents.delete(request.box);
        return [];
      case 'drop':
        this.#list.delete(request.box);
        return [];
    }
  }
}
