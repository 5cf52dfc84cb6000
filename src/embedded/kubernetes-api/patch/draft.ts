/**
 * A mutable copy of an object for a JSON patch. Paths reach only own fields and list items, never inherited properties
 * of objects and lists.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { rejected } from './rejected.ts';

export type DraftJson = null | boolean | number | string | DraftJson[] | DraftObject;
export interface DraftObject {
  [key: string]: DraftJson;
}

/** The limit of shifted list items of all operations together: a shift costs the length of the list. */
const shiftsMax = 50_000_000;
const reserved = '__proto__';

/** A mutable copy. */
export function draftOf(value: Json): DraftJson {
  if (isJsonList(value)) return value.map(draftOf);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, draftOf(item)]));
}

interface Place {
  readonly parent: DraftJson[] | DraftObject;
  readonly key: string;
}

export class Draft {
  #whole: DraftObject;
  #shifts = 0;

  constructor(target: JsonObject) {
    const whole = draftOf(target);
    if (!isObject(whole)) throw new Error('only an object can be patched');
    this.#whole = whole;
  }

  get whole(): DraftObject {
    return this.#whole;
  }

  /** Undefined for a missing field. */
  read(path: string): DraftJson | undefined {
    const { parent, key } = this.#place(path);
    return child(parent, key, path);
  }

  add(path: string, value: DraftJson): void {
    const { parent, key } = this.#place(path);
    if (!Array.isArray(parent)) parent[key] = value;
    else if (key === '-') parent.push(value);
    else {
      // The position after the last item is allowed, too.
      const index = indexIn(key, parent.length + 1, path);
      this.#countShifts(parent.length - index);
      parent.splice(index, 0, value);
    }
  }

  remove(path: string): DraftJson {
    const { parent, key } = this.#place(path);
    const removed = child(parent, key, path);
    if (removed === undefined) throw rejected(`${path} does not exist`);
    if (!Array.isArray(parent)) delete parent[key];
    else {
      const index = indexIn(key, parent.length, path);
      this.#countShifts(parent.length - index);
      parent.splice(index, 1);
    }
    return removed;
  }

  replace(path: string, value: DraftJson): void {
    if (path === '') {
      if (!isObject(value)) throw rejected('only an object can replace an object');
      this.#whole = value;
      return;
    }
    const { parent, key } = this.#place(path);
    if (Array.isArray(parent)) parent[indexIn(key, parent.length, path)] = value;
    else parent[key] = value;
  }

  #place(path: string): Place {
    const [first, ...keys] = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    if (first !== '' || last === undefined) throw rejected(`${path} is no path to a field`);
    if (last === reserved) throw rejected(`${path} ends in a reserved name`);
    let parent: DraftJson | undefined = this.#whole;
    for (const key of keys) parent = isBranch(parent) ? child(parent, key, path) : undefined;
    if (!isBranch(parent)) throw rejected(`${path} is in a value without fields`);
    return { parent, key: last };
  }

  #countShifts(items: number): void {
    this.#shifts += items;
    if (this.#shifts > shiftsMax) throw rejected('it moves too many items of lists');
  }
}

function isObject(value: DraftJson | undefined): value is DraftObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBranch(value: DraftJson | undefined): value is DraftJson[] | DraftObject {
  return typeof value === 'object' && value !== null;
}

function child(parent: DraftJson[] | DraftObject, key: string, path: string): DraftJson | undefined {
  if (Array.isArray(parent)) return parent[indexIn(key, parent.length, path)];
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function indexIn(key: string, places: number, path: string): number {
  const number = /^[+-]?\d{1,15}$/.test(key) ? Number(key) : Number.NaN;
  const index = number < 0 ? number + places : number;
  if (index >= 0 && index < places) return index;
  throw rejected(`${path} names no item of the list`);
}
