/** The fields that a value sets, under its type. A named field is a member only as a leaf. */
import { fieldNames, type Json } from '../json.ts';
import {
  asMember,
  below,
  emptySet,
  isEmptySet,
  isMember,
  mapped,
  nodeOf,
  self,
  type FieldSet,
} from './field-set.ts';
import { fieldElement, fieldNameIn, itemElement } from './list-element.ts';
import { typeOfKey, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { entriesIn, itemsOf, ownShape, shapeOf } from './shape.ts';

/** The fields that an applied object claims. Throws `UntrackableItem`. */
export function fieldsOf(type: MergeType, value: Json): FieldSet {
  const node = claimed(type, value);
  return node === undefined ? emptySet : below(node);
}

function claimed(type: MergeType, value: Json): FieldSet | undefined {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined) return claimedMap(type.map, value);
  if (shape === 'list' && type.list !== undefined) return claimedList(type.list, value);
  return emptySet;
}

function claimedMap(map: MapType, value: Json): FieldSet | undefined {
  if (map.atomic) return emptySet;
  const children: Record<string, FieldSet> = {};
  let isEmpty = true;
  const fields = entriesIn(value);
  for (const key of fieldNames(fields)) {
    const node = claimedField(map, key, fields[key] ?? null);
    if (node === undefined) continue;
    children[fieldElement(key)] = node;
    isEmpty = false;
  }
  return isEmpty ? undefined : children;
}

function claimedField(map: MapType, key: string, child: Json): FieldSet | undefined {
  const type = typeOfKey(map, key);
  // Fast path: most children are scalars.
  if (typeof child === 'string' && type.scalar !== undefined) return emptySet;
  const node = claimed(type, child);
  return child === null || isEmptyMap(child) || !map.fields.has(key) ? asMember(node) : node;
}

function isEmptyMap(value: Json): boolean {
  return ownShape(value) === 'map' && fieldNames(entriesIn(value)).length === 0;
}

/** Duplicate items are owned together, as one leaf. */
function claimedList(list: ListType, value: Json): FieldSet | undefined {
  if (list.kind === 'atomic') return emptySet;
  const children: Record<string, FieldSet> = {};
  for (const item of itemsOf(value)) {
    const element = itemElement(list, item);
    children[element] = children[element] === undefined ? asMember(claimed(list.item, item)) : emptySet;
  }
  return nodeOf(false, children);
}

/** Every path of a value: unlike `fieldsOf`, also the parent maps and lists of the leaves. Throws `UntrackableItem`. */
export function everyPath(type: MergeType, value: Json): FieldSet {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map?.atomic === false) return everyKey(type.map, value);
  if (shape === 'list' && type.list !== undefined && type.list.kind !== 'atomic')
    return everyItem(type.list, value);
  return emptySet;
}

function everyKey(map: MapType, value: Json): FieldSet {
  const fields = entriesIn(value);
  const names = fieldNames(fields);
  if (names.length === 0) return emptySet;
  const children = newMember();
  for (const name of names)
    children[fieldElement(name)] = everyPath(typeOfKey(map, name), fields[name] ?? null);
  return children;
}

/** The map or list itself is a member too. It comes first, so that a set of 100,000 fields is not copied for it. */
function newMember(): Record<string, FieldSet> {
  return { [self]: emptySet };
}

function everyItem(list: ListType, value: Json): FieldSet {
  const items = itemsOf(value);
  if (items.length === 0) return emptySet;
  const children = newMember();
  for (const item of items) {
    const element = itemElement(list, item);
    children[element] = children[element] === undefined ? everyPath(list.item, item) : emptySet;
  }
  return children;
}

/** Adds every named parent of a member, so that parents that become empty are removed, too. */
export function withNamedParents(type: MergeType | undefined, set: FieldSet): FieldSet {
  return mapped(set, (element, node) => {
    const name = fieldNameIn(element);
    const inner = name === undefined ? itemTypeIn(type, element) : keyTypeIn(type, name);
    const children = withNamedParents(inner, below(node));
    const named = name !== undefined && type?.map?.fields.has(name) === true && !isEmptySet(children);
    return nodeOf(isMember(node) || named, children);
  });
}

function keyTypeIn(type: MergeType | undefined, name: string): MergeType | undefined {
  return type?.map?.fields.get(name)?.type ?? type?.map?.element;
}

function itemTypeIn(type: MergeType | undefined, element: string): MergeType | undefined {
  return element.startsWith('k:') ? type?.list?.item : undefined;
}
