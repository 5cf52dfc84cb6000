/** What of an applied configuration does not fit its type. Unlike a write of another kind, an apply drops nothing. */
import type { Json } from '../json.ts';
import { elementText, fieldElement, itemElement, UntrackableItem } from './list-element.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { entriesIn, itemsOf, ownShape, shapeOf } from './shape.ts';

/** One line for each mistake, with the path of the field. */
export function typeErrors(type: MergeType, value: Json, path = ''): readonly string[] {
  if (value === null) return [];
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return scalarErrors(type.scalar, value, path);
  if (ownShape(value) !== shape) return [`${path}: expected ${shape}, got &{${JSON.stringify(value)}}`];
  if (shape === 'map') return type.map === undefined ? [] : mapErrors(type.map, value, path);
  return type.list === undefined ? [] : listErrors(type.list, value, path);
}

const expectations = {
  string: 'string',
  number: 'numeric (int or float)',
  boolean: 'boolean',
  any: 'any scalar',
} as const;

function scalarErrors(scalar: MergeType['scalar'], value: Json, path: string): readonly string[] {
  if (scalar === undefined) return [];
  const fits = scalar === 'any' ? ownShape(value) === 'scalar' : typeof value === scalar;
  return fits ? [] : [`${path}: expected ${expectations[scalar]}, got ${typeof value}`];
}

function mapErrors(map: MapType, value: Json, path: string): readonly string[] {
  return Object.entries(entriesIn(value)).flatMap(([key, child]) => {
    const type = map.fields.get(key)?.type ?? map.element;
    const inside = `${path}${elementText(fieldElement(key))}`;
    return type === undefined ? [`${inside}: field not declared in schema`] : typeErrors(type, child, inside);
  });
}

function listErrors(list: ListType, value: Json, path: string): readonly string[] {
  const seen = new Set<string>();
  return itemsOf(value).flatMap((item, index) => {
    if (list.kind === 'atomic') return typeErrors(list.item, item, `${path}[${index}]`);
    try {
      const element = itemElement(list, item);
      const text = elementText(element);
      const twice = seen.has(element) ? [`${path}: duplicate entries for key ${text}`] : [];
      seen.add(element);
      return [...twice, ...typeErrors(list.item, item, `${path}${text}`)];
    } catch (error) {
      if (error instanceof UntrackableItem) return [`${path}: element ${index}: ${error.message}`];
      throw error;
    }
  });
}
