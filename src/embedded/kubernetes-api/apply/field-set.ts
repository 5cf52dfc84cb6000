/**
 * Sets of fields in their wire format `FieldsV1`: a tree whose keys are elements. A node without children is a member
 * of the set; a node with children is a member only if it also has the key `.`. Functions never change their arguments,
 * and no set has a node without members, so the empty object is the empty set.
 */
import { fieldNames, isJsonObject, type Json } from '../json.ts';
import { canonicalElement } from './list-element.ts';

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const emptySet: FieldSet = {};
export const self = '.';

/** A node of the tree; `undefined` for a node without members. */
type Node = FieldSet | undefined;

export function isEmptySet(set: FieldSet): boolean {
  return set === emptySet || set[self] === undefined ? fieldNames(set).length === 0 : false;
}

export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmptySet(node);
}

/** The fields below a node, as a set. */
export function below(node: FieldSet): FieldSet {
  if (node[self] === undefined) return node;
  const { [self]: _self, ...children } = node;
  return children;
}

export function nodeOf(member: boolean, children: FieldSet): Node {
  if (isEmptySet(children)) return member ? emptySet : undefined;
  return member ? { [self]: emptySet, ...children } : children;
}

/** The node as a member, whatever it was. */
export function asMember(node: Node): FieldSet {
  return node === undefined || isMember(node) ? (node ?? emptySet) : { [self]: emptySet, ...node };
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b;
  if (isEmptySet(b)) return a;
  const joined: Record<string, FieldSet> = { ...a };
  for (const [element, node] of Object.entries(b)) {
    const other = a[element];
    joined[element] = other === undefined ? node : nodeUnion(other, node);
  }
  return joined;
}

export function nodeUnion(a: FieldSet, b: FieldSet): FieldSet {
  const children = union(below(a), below(b));
  return isMember(a) || isMember(b) ? asMember(isEmptySet(children) ? undefined : children) : children;
}

/** A member of `b` removes only itself from `a`, and keeps the fields below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return mapped(a, (element, node) => {
    const taken = b[element];
    if (taken === undefined) return node;
    return nodeOf(isMember(node) && !isMember(taken), difference(below(node), below(taken)));
  });
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return mapped(a, (element, node) => {
    const other = b[element];
    if (other === undefined) return undefined;
    return nodeOf(isMember(node) && isMember(other), intersection(below(node), below(other)));
  });
}

/** Maps the nodes of a set. */
export function mapped(set: FieldSet, make: (element: string, node: FieldSet) => Node): FieldSet {
  const made: Record<string, FieldSet> = {};
  for (const [element, node] of Object.entries(set)) {
    const next = make(element, node);
    if (next !== undefined) made[element] = next;
  }
  return made;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: Node = set;
  for (const element of path) node = node?.[element];
  return node !== undefined && path.length > 0 && isMember(node);
}

export function pathSet(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((children, element) => ({ [element]: children }), emptySet);
}

/** The path of every member, level by level, in order. */
export function membersOf(set: FieldSet): readonly (readonly string[])[] {
  const entries = Object.entries(set).toSorted(([a], [b]) => byElement(a, b));
  return [
    ...entries.filter(([, node]) => isMember(node)).map(([element]) => [element]),
    ...entries.flatMap(([element, node]) => membersOf(below(node)).map((path) => [element, ...path])),
  ];
}

/** Fields come first, then items by key, then values. */
function byElement(a: string, b: string): number {
  const order = 'fkvi';
  const kinds = order.indexOf(a.charAt(0)) - order.indexOf(b.charAt(0));
  if (kinds !== 0) return kinds;
  return a < b ? -1 : Number(a > b);
}

/** Parses a client's field set into canonical elements; undefined for an invalid one. */
export function fieldSetIn(value: Json): FieldSet | undefined {
  if (!isJsonObject(value)) return undefined;
  const read: Record<string, FieldSet> = {};
  for (const [element, child] of Object.entries(value)) {
    const node = element === self ? emptySet : fieldSetIn(child);
    const canonical = element === self ? self : canonicalElement(element);
    if (node === undefined || canonical === undefined) return undefined;
    read[canonical] = node;
  }
  return read;
}
