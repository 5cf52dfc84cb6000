/** Chooses the shape of a type in which a value is walked. */
import { fieldNames, isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';

export type Shape = 'map' | 'list' | 'scalar';

/** A null or a mistyped value is walked in the first shape of the type. */
export function shapeOf(type: MergeType, value: Json): Shape {
  const own = ownShape(value);
  if (own !== undefined && type[own] !== undefined) return own;
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}

export function ownShape(value: Json): Shape | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'object') return 'scalar';
  return Array.isArray(value) ? 'list' : 'map';
}

/** A value that is no list has no items. */
export function itemsOf(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}

export function entriesIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A map or list of two values that is walked key by key or item by item. */
type Walk =
  | { readonly map: MapType; readonly old: JsonObject; readonly next: JsonObject }
  | { readonly list: ListType; readonly old: readonly Json[]; readonly next: readonly Json[] };

type Values = readonly [Json | undefined, Json];

/** Undefined for a leaf: an atomic value, or a value that is empty on both sides, so that null stays null. */
export function walkOf(type: MergeType, shape: Shape, values: Values): Walk | undefined {
  if (shape === 'map') return mapWalk(type.map, values);
  return shape === 'list' ? listWalk(type.list, values) : undefined;
}

function mapWalk(map: MapType | undefined, values: Values): Walk | undefined {
  if (map === undefined || map.atomic) return undefined;
  const [old, next] = [entriesIn(values[0]), entriesIn(values[1])];
  const isEmpty = fieldNames(old).length === 0 && fieldNames(next).length === 0;
  return isEmpty ? undefined : { map, old, next };
}

function listWalk(list: ListType | undefined, values: Values): Walk | undefined {
  if (list === undefined || list.kind === 'atomic') return undefined;
  const [old, next] = [itemsOf(values[0]), itemsOf(values[1])];
  return old.length === 0 && next.length === 0 ? undefined : { list, old, next };
}
