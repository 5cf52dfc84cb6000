/**
 * The fields in which two states of an object differ, under its type. Equal states are recognized without building
 * sets.
 */
import { fieldNames, isJsonEqual, type Json, type JsonObject } from '../json.ts';
import { below, emptySet, nodeUnion, union, type FieldSet } from './field-set.ts';
import { everyPath } from './fields-of.ts';
import { fieldElement, itemElement } from './list-element.ts';
import { typeOfKey, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { shapeOf, walkOf, type Shape } from './shape.ts';

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Throws `UntrackableItem`. */
export function compare(type: MergeType, old: Json, next: Json): Comparison {
  const { removed, modified, added } = differing(type, old, next) ?? {};
  return { removed: setOf(removed), modified: setOf(modified), added: setOf(added) };
}

export function changedIn({ modified, added }: Comparison): FieldSet {
  return union(modified, added);
}

function setOf(node: FieldSet | undefined): FieldSet {
  return node === undefined ? emptySet : below(node);
}

/** The same three as nodes of a tree; all absent when nothing differs. */
type Nodes = Readonly<Partial<Comparison>>;
const kinds = ['removed', 'modified', 'added'] as const;

function differing(type: MergeType, old: Json | undefined, next: Json | undefined): Nodes | undefined {
  if (old === next) return undefined;
  if (old === undefined) return next === undefined ? undefined : { added: everyPath(type, next) };
  if (next === undefined) return { removed: everyPath(type, old) };
  const [before, after] = [shapeOf(type, old), shapeOf(type, next)];
  const pair = { type, old, next };
  if (before === after) return inShape(after, pair);
  return joined(inShape(before, pair), inShape(after, pair));
}

interface Pair {
  readonly type: MergeType;
  readonly old: Json;
  readonly next: Json;
}

function inShape(shape: Shape, { type, old, next }: Pair): Nodes | undefined {
  const walk = walkOf(type, shape, [old, next]);
  if (walk !== undefined)
    return 'map' in walk ? inMaps(walk.map, walk.old, walk.next) : inLists(walk.list, walk.old, walk.next);
  return isJsonEqual(old, next) ? undefined : { modified: emptySet };
}

function inMaps(map: MapType, old: JsonObject, next: JsonObject): Nodes | undefined {
  const found = new Gathered();
  for (const key of fieldNames(old)) {
    const value = old[key];
    const after = Object.hasOwn(next, key) ? next[key] : undefined;
    found.add(fieldElement(key), differing(typeOfKey(map, key), value, after));
  }
  for (const key of fieldNames(next)) {
    if (!Object.hasOwn(old, key))
      found.add(fieldElement(key), differing(typeOfKey(map, key), undefined, next[key]));
  }
  return found.nodes;
}

function inLists(list: ListType, old: readonly Json[], next: readonly Json[]): Nodes | undefined {
  if (old.length === 0) return inNewItems(list, next);
  const before = Map.groupBy(old, (item) => itemElement(list, item));
  const after = Map.groupBy(next, (item) => itemElement(list, item));
  const found = new Gathered();
  for (const element of new Set([...before.keys(), ...after.keys()]))
    found.add(element, inItems(list, before.get(element) ?? [], after.get(element) ?? []));
  return found.nodes;
}

/** A list without old items: all items are new. */
function inNewItems(list: ListType, next: readonly Json[]): Nodes | undefined {
  const added: Record<string, FieldSet> = {};
  for (const item of next) {
    const element = itemElement(list, item);
    added[element] = added[element] === undefined ? everyPath(list.item, item) : emptySet;
  }
  return { added };
}

/** Several items with one name are compared as a whole. */
function inItems(list: ListType, old: readonly Json[], next: readonly Json[]): Nodes | undefined {
  if (old.length <= 1 && next.length <= 1) return differing(list.item, old[0], next[0]);
  if (old.length > 1 && next.length > 1) return isJsonEqual(old, next) ? undefined : { modified: emptySet };
  if (old.length > 1) return joined(differing(list.item, undefined, next[0]), { removed: emptySet });
  return joined(differing(list.item, old[0], undefined), { added: emptySet });
}

function joined(a: Nodes | undefined, b: Nodes | undefined): Nodes | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const both: { -readonly [kind in keyof Comparison]?: FieldSet } = { ...a };
  for (const kind of kinds) {
    const [mine, yours] = [a[kind], b[kind]];
    if (yours !== undefined) both[kind] = mine === undefined ? yours : nodeUnion(mine, yours);
  }
  return both;
}

/** Collects what differs in the children of one map or list. */
class Gathered {
  readonly #children: { -readonly [kind in keyof Comparison]?: Record<string, FieldSet> } = {};
  #empty = true;

  add(element: string, nodes: Nodes | undefined): void {
    if (nodes === undefined) return;
    this.#empty = false;
    for (const kind of kinds) {
      const node = nodes[kind];
      if (node !== undefined) (this.#children[kind] ??= {})[element] = node;
    }
  }

  get nodes(): Nodes | undefined {
    return this.#empty ? undefined : this.#children;
  }
}
