/** The type errors of an applied configuration. Unlike other writes, an apply drops no field. */
import { fieldNames, type Json } from '../json.ts';
import { elementText, fieldElement, itemElement, UntrackableItem } from './list-element.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { entriesIn, itemsOf, ownShape, shapeOf } from './shape.ts';

/** One line for each mistake, with the path of the field. */
export function typeErrors(type: MergeType, value: Json): readonly string[] {
  return mistakesIn(type, value, '').map(({ text }) => text);
}

/** Whether a value has a wrong type. A duplicate list item is another kind of error. */
export function hasWrongTypes(type: MergeType, value: Json): boolean {
  return mistakesIn(type, value, '').some(({ isRepetition }) => isRepetition !== true);
}

interface Mistake {
  readonly text: string;
  readonly isRepetition?: true;
}

function mistakesIn(type: MergeType, value: Json, path: string): readonly Mistake[] {
  if (value === null) return [];
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return scalarErrors(type.scalar, value, path);
  if (ownShape(value) !== shape)
    return [{ text: `${path}: expected ${shape}, got &{${JSON.stringify(value)}}` }];
  if (shape === 'map') return type.map === undefined ? [] : mapErrors(type.map, value, path);
  return type.list === undefined ? [] : listErrors(type.list, value, path);
}

const expectations = {
  string: 'string',
  number: 'numeric (int or float)',
  boolean: 'boolean',
  any: 'any scalar',
} as const;

function scalarErrors(scalar: MergeType['scalar'], value: Json, path: string): readonly Mistake[] {
  if (scalar === undefined) return [];
  const fits = scalar === 'any' ? ownShape(value) === 'scalar' : typeof value === scalar;
  return fits ? [] : [{ text: `${path}: expected ${expectations[scalar]}, got ${typeof value}` }];
}

const none: readonly Mistake[] = [];

function mapErrors(map: MapType, value: Json, path: string): readonly Mistake[] {
  const fields = entriesIn(value);
  return fieldNames(fields).flatMap((key) => {
    const type = map.fields.get(key)?.type ?? map.element;
    if (type?.scalar !== undefined && typeof fields[key] === type.scalar) return none;
    const inside = `${path}${elementText(fieldElement(key))}`;
    return type === undefined
      ? [{ text: `${inside}: field not declared in schema` }]
      : mistakesIn(type, fields[key] ?? null, inside);
  });
}

function listErrors(list: ListType, value: Json, path: string): readonly Mistake[] {
  const seen = new Set<string>();
  return itemsOf(value).flatMap((item, index) => {
    if (list.kind === 'atomic') return mistakesIn(list.item, item, `${path}[${index}]`);
    try {
      const element = itemElement(list, item);
      const text = elementText(element);
      const twice: readonly Mistake[] = seen.has(element)
        ? [{ text: `${path}: duplicate entries for key ${text}`, isRepetition: true }]
        : [];
      seen.add(element);
      return [...twice, ...mistakesIn(list.item, item, `${path}${text}`)];
    } catch (error) {
      if (error instanceof UntrackableItem) return [{ text: `${path}: element ${index}: ${error.message}` }];
      throw error;
    }
  });
}
