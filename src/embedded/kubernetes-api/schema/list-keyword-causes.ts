/** The rules of `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. */
import { forbidden, invalid, notSupported, required, type Cause } from './cause.ts';
import { propertyOf, type JsonSchema } from './structural-schema.ts';

/** A limit above all sensible lists. */
const keysMax = 100;

export function listKeywordCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const path = `${at}.x-kubernetes-list-type`;
  const needsMap = 'must be map if x-kubernetes-list-map-keys is non-empty';
  if (listType === undefined) return keys.length > 0 ? [required(path, needsMap)] : [];
  return [
    ...typeCauses(schema, at),
    ...(listTypes.includes(listType) ? [] : [notSupported(path, listType, listTypes)]),
    ...(keys.length > 0 && listType !== 'map' ? [invalid(path, listType, needsMap)] : []),
    ...(listType === 'map' ? mapCauses(schema, keys, at) : []),
    ...nullableItemCauses(schema, listType, at),
  ];
}

const listTypes = ['atomic', 'set', 'map'];

function typeCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const type: string = schema.type ?? '';
  const detail = 'must be array if x-kubernetes-list-type is specified';
  if (type === '') return [required(`${at}.type`, detail)];
  if (type !== 'array') return [invalid(`${at}.type`, type, detail)];
  return schema['x-kubernetes-list-type'] === 'set' ? setItemCauses(schema.items, `${at}.items`) : [];
}

/** Items that are compared as a whole must be atomic. */
function setItemCauses(items: JsonSchema | undefined, at: string): readonly Cause[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'] ?? 'atomic';
  if (items?.type === 'array' && listType !== 'atomic')
    return [invalid(`${at}.x-kubernetes-list-type`, listType, detail)];
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalid(`${at}.x-kubernetes-map-type`, null, detail)];
  return [];
}

function mapCauses({ items }: JsonSchema, keys: readonly string[], at: string): readonly Cause[] {
  const none =
    keys.length > 0
      ? []
      : [required(`${at}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')];
  if (items === undefined)
    return [...none, required(`${at}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type === 'object')
    return [...none, ...keyListCauses(items, keys, at), ...keyCauses(items, keys, at)];
  const detail = "must be object if parent array's x-kubernetes-list-type is map";
  return [...none, invalid(`${at}.items.type`, items.type ?? '', detail), ...keyCauses(items, keys, at)];
}

function keyListCauses(items: JsonSchema, keys: readonly string[], at: string): readonly Cause[] {
  const path = `${at}.x-kubernetes-list-map-keys`;
  // Each cause repeats the whole list, so a long list gets one cause only.
  if (keys.length > keysMax)
    return [invalid(path, keys.slice(0, keysMax), `must not have more than ${keysMax} entries`)];
  return keys.flatMap((key, index) => {
    const property = propertyOf(items, key);
    const isScalar = property?.type !== 'array' && property?.type !== 'object';
    return [
      ...(property === undefined
        ? [invalid(path, keys, 'entries must all be names of item properties')]
        : []),
      ...(isScalar
        ? []
        : [invalid(`${at}.items.properties[${key}].type`, 'object', 'must be a scalar type')]),
      ...(keys.indexOf(key) === index ? [] : [invalid(path, keys, 'must not contain duplicate entries')]),
    ];
  });
}

/** An item must always have its keys, or it could not be identified. */
function keyCauses(items: JsonSchema, keys: readonly string[], at: string): readonly Cause[] {
  return keys.flatMap((key) => {
    const property = propertyOf(items, key);
    if (property === undefined) return [];
    const path = `${at}.items.properties[${key}]`;
    const isCertain = items.required?.includes(key) === true || property.default !== undefined;
    return [
      ...(isCertain
        ? []
        : [required(`${path}.default`, 'a key must have a default or be a required property')]),
      ...(property.nullable === true ? [forbidden(`${path}.nullable`, 'a key cannot be nullable')] : []),
    ];
  });
}

function nullableItemCauses({ items }: JsonSchema, listType: string, at: string): readonly Cause[] {
  if (items?.nullable !== true || listType === 'atomic') return [];
  return [forbidden(`${at}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)];
}
