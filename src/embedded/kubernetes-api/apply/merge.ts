/**
 * Merges an applied configuration into a live value: maps key by key, lists by the keys of their items, everything else
 * is replaced. List items take the order of the configuration; items only in the live list stay near their neighbors.
 * The inputs are not changed.
 */
import { fieldNames, mapFields, type Json, type JsonObject } from '../json.ts';
import { itemElement } from './list-element.ts';
import { typeOfKey, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { shapeOf, walkOf } from './shape.ts';

/** Throws `UntrackableItem`. */
export function merge(type: MergeType, live: Json | undefined, applied: Json): Json {
  const walk = walkOf(type, shapeOf(type, applied), [live, applied]);
  if (walk === undefined) return applied;
  return 'map' in walk
    ? mergeMaps(walk.map, walk.old, walk.next)
    : mergeLists(walk.list, walk.old, walk.next);
}

function mergeMaps(map: MapType, live: JsonObject, applied: JsonObject): JsonObject {
  if (fieldNames(live).length === 0 && isOfScalars(map)) return applied;
  if (fieldNames(live).length === 0)
    return mapFields(applied, (value, key) => merge(typeOfKey(map, key), undefined, value));
  const merged = new Map<string, Json>(Object.entries(live));
  for (const [key, value] of Object.entries(applied))
    merged.set(key, merge(typeOfKey(map, key), merged.get(key), value));
  return Object.fromEntries(merged);
}

/** A scalar is always replaced as a whole. */
function isOfScalars({ fields, element }: MapType): boolean {
  return (
    fields.size === 0 &&
    element?.scalar !== undefined &&
    element.map === undefined &&
    element.list === undefined
  );
}

interface Item {
  readonly element: string;
  readonly value: Json;
}

function mergeLists(list: ListType, live: readonly Json[], applied: readonly Json[]): readonly Json[] {
  const named = (value: Json): Item => ({ element: itemElement(list, value), value });
  const next = applied.map(named);
  const old = live.map(named);
  const configured = new Map(next.map((item) => [item.element, item.value]));
  const known = new Map(old.map((item) => [item.element, item]));
  const twice = new Set(old.filter((item) => known.get(item.element) !== item).map((item) => item.element));
  const order = new Zip(old, next).order();
  return order.map(({ element, value }) => {
    const own = configured.get(element);
    if (own === undefined) return value;
    return merge(list.item, twice.has(element) ? undefined : known.get(element)?.value, own);
  });
}

/** Merges the order of two lists, with each shared item once. */
class Zip {
  readonly #old: readonly Item[];
  readonly #next: readonly Item[];
  readonly #inNext: ReadonlySet<string>;
  readonly #shared: string[];
  readonly #taken = new Set<string>();
  readonly #order: Item[] = [];
  #left = 0;
  #right = 0;

  constructor(old: readonly Item[], next: readonly Item[]) {
    const inOld = new Set(old.map((item) => item.element));
    this.#old = old;
    this.#next = next;
    this.#inNext = new Set(next.map((item) => item.element));
    this.#shared = next.map((item) => item.element).filter((element) => inOld.has(element));
  }

  order(): readonly Item[] {
    while (this.#left < this.#old.length || this.#right < this.#next.length) this.#step();
    return this.#order;
  }

  #step(): void {
    const [live, applied] = [this.#old[this.#left], this.#next[this.#right]];
    if (live !== undefined && !this.#inNext.has(live.element)) {
      this.#left += 1;
      this.#order.push(live);
    } else if (live !== undefined && applied !== undefined && this.#mustWait(live)) {
      this.#left += 1;
    } else {
      if (live !== undefined && this.#isPast(live, applied)) this.#left += 1;
      if (applied !== undefined) this.#take(applied);
    }
  }

  /** A shared item that comes later in the configuration waits for its place there. */
  #mustWait(live: Item): boolean {
    const [round] = this.#shared;
    return round !== undefined && round !== live.element;
  }

  #isPast(live: Item, applied: Item | undefined): boolean {
    return live.element === applied?.element || this.#taken.has(live.element);
  }

  #take(item: Item): void {
    if (this.#shared[0] === item.element) this.#shared.shift();
    this.#taken.add(item.element);
    this.#order.push(item);
    this.#right += 1;
  }
}
