/**
 * A heap of future events: ordered by time, then by a drawn number, then in the order of insertion. An event stores its
 * index in the heap, so that any event can be removed; no operation allocates.
 */
export interface ComingEvent {
  readonly at: number;
  /** Orders events of the same instant. */
  readonly tie: number;
  readonly order: number;
  readonly label: string;
  readonly run: () => void;
  /** The index in the heap; -1 when the event is in no heap. Only the heap writes this field. */
  place: number;
}

export class EventHeap {
  readonly #events: ComingEvent[] = [];

  get size(): number {
    return this.#events.length;
  }

  get first(): ComingEvent | undefined {
    return this.#events[0];
  }

  /** In no particular order. */
  get all(): readonly ComingEvent[] {
    return this.#events;
  }

  push(event: ComingEvent): void {
    this.#events.push(event);
    this.#rise(event, this.#events.length - 1);
  }

  /** Returns false when the event has already left the heap. */
  remove(event: ComingEvent): boolean {
    const { place } = event;
    if (place < 0) return false;
    event.place = -1;
    const last = this.#events.pop();
    if (last === undefined || last === event) return true;
    if (this.#sink(last, place) === place) this.#rise(last, place);
    return true;
  }

  #rise(event: ComingEvent, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#events[above];
      if (parent === undefined || !isSooner(event, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(event, place);
  }

  #sink(event: ComingEvent, from: number): number {
    const events = this.#events;
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      let child = events[below];
      if (child === undefined) break;
      const other = events[below + 1];
      if (other !== undefined && isSooner(other, child)) {
        below += 1;
        child = other;
      }
      if (!isSooner(child, event)) break;
      this.#put(child, place);
      place = below;
    }
    this.#put(event, place);
    return place;
  }

  #put(event: ComingEvent, place: number): void {
    this.#events[place] = event;
    event.place = place;
  }
}

function isSooner(a: ComingEvent, b: ComingEvent): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.tie === b.tie ? a.order < b.order : a.tie < b.tie;
}
