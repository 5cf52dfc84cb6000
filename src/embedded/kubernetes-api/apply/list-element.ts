/**
 * The names of elements in a field set: `f:name` for a field, `k:{"name":"x"}` for the item of a list with these keys,
 * `v:"x"` for a value of a set; and their form in messages.
 */
import { isJsonObject, type Json } from '../json.ts';
import type { ListType } from './merge-type.ts';

/** Lists of such items cannot be tracked; the real server does not track the whole object either. */
export class UntrackableItem extends Error {}

export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The name of a field, or undefined for an item of a list. */
export function fieldNameIn(element: string): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** Throws `UntrackableItem`. */
export function itemElement(list: ListType, item: Json): string {
  return list.kind === 'map' ? keyElement(list, item) : valueElement(item);
}

function keyElement(list: ListType, item: Json): string {
  if (!isJsonObject(item)) {
    const what = item === null ? 'a null element' : 'non-map elements';
    throw new UntrackableItem(`associative list with keys may not have ${what}`);
  }
  const keys = list.keys.toSorted().flatMap((name) => {
    const value = Object.hasOwn(item, name) ? item[name] : list.item.map?.fields.get(name)?.default;
    return value === undefined ? [] : [`${text(name)}:${text(value)}`];
  });
  if (keys.length > 0) return `k:{${keys.join(',')}}`;
  const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
  throw new UntrackableItem(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function valueElement(item: Json): string {
  if (item === null)
    throw new UntrackableItem("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item))
    throw new UntrackableItem('not supported: associative list with lists as elements');
  if (typeof item === 'object')
    throw new UntrackableItem("associative list without keys has an element that's a map type");
  return `v:${text(item)}`;
}

const plainText = /^[\w .:/-]*$/;

/** Escapes like the real server, because clients compare names as text. */
function text(value: Json): string {
  // Fast path for plain keys: this runs for every list item on every write.
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`;
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const canonical = /^(?:f:|i:-?\d+$|v:"[\w .:/-]*"$|k:\{"[\w .:/-]*":"[\w .:/-]*"\}$)/;

/** The canonical form of an element; undefined for an invalid element. */
export function canonicalElement(element: string): string | undefined {
  if (canonical.test(element)) return element;
  const value = element.startsWith('v:') || element.startsWith('k:') ? parsed(element.slice(2)) : undefined;
  if (value === undefined) return undefined;
  if (element.startsWith('v:')) return `v:${text(value)}`;
  if (!isJsonObject(value)) return undefined;
  const keys = Object.keys(value).toSorted();
  return `k:{${keys.map((name) => `${text(name)}:${text(value[name] ?? null)}`).join(',')}}`;
}

function parsed(source: string): Json | undefined {
  try {
    const value: Json = JSON.parse(source);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `.name`, `[name="x"]` or `[="x"]`. */
export function elementText(element: string): string {
  const name = fieldNameIn(element);
  if (name !== undefined) return `.${name}`;
  if (element.startsWith('i:')) return `[${element.slice(2)}]`;
  const value = parsed(element.slice(2)) ?? null;
  if (element.startsWith('v:') || !isJsonObject(value)) return `[=${JSON.stringify(value)}]`;
  return `[${Object.entries(value)
    .map(([key, part]) => `${key}=${JSON.stringify(part)}`)
    .join(',')}]`;
}
