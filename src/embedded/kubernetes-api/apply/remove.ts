/**
 * Removes the members of a field set from a value. A map or list that becomes empty without being a member becomes
 * null.
 */
import type { Json } from '../json.ts';
import { below, emptySet, isEmptySet, isMember, type FieldSet } from './field-set.ts';
import { fieldElement, itemElement } from './list-element.ts';
import { typeOfKey, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { entriesIn, itemsOf, shapeOf } from './shape.ts';

/** Throws `UntrackableItem`. */
export function remove(type: MergeType, value: Json, fields: FieldSet): Json {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined) return fromMap(type.map, value, fields);
  if (shape === 'list' && type.list !== undefined) return fromList(type.list, value, fields);
  return value;
}

function fromMap(map: MapType, value: Json, fields: FieldSet): Json {
  if (map.atomic) return null;
  const kept = Object.entries(entriesIn(value)).flatMap(([key, child]): [string, Json][] => {
    const node = fields[fieldElement(key)];
    if (node !== undefined && isMember(node)) return [];
    return [[key, without(typeOfKey(map, key), child, node)]];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}

function fromList(list: ListType, value: Json, fields: FieldSet): Json {
  if (list.kind === 'atomic') return null;
  const kept = itemsOf(value).flatMap((item) => {
    const node = fields[itemElement(list, item)];
    if (node !== undefined && isMember(node)) return [];
    return [without(list.item, item, node)];
  });
  return kept.length > 0 ? kept : null;
}

function without(type: MergeType, value: Json, node: FieldSet | undefined): Json {
  const inside = node === undefined ? emptySet : below(node);
  return isEmptySet(inside) ? value : remove(type, value, inside);
}
