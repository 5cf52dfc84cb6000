/** The keywords `items`, `minItems`, `maxItems` and `uniqueItems`. */
import type { Json } from '../json.ts';
import { invalid, tooMany } from './cause.ts';
import { distinctKey } from './distinct-key.ts';
import { fieldAt, Findings, type Descend, type Place } from './findings.ts';

export function checkArray(place: Place, descend: Descend): Findings | undefined {
  const { schema, value, path, at, correlated } = place;
  if (!Array.isArray(value)) return undefined;
  const found = new Findings();
  const { items } = schema;
  if (items !== undefined)
    for (const [index, item] of value.entries()) {
      const inner = { schema: items, value: item, path: `${path}[${index}]`, at };
      found.merge(descend({ ...inner, correlated: correlated?.atIndex(index) }));
    }
  return found.merge(sizeFindings(place, value)).count();
}

function sizeFindings({ schema, path, at }: Place, value: readonly Json[]): Findings {
  const found = new Findings();
  const { minItems = 0, maxItems = Infinity } = schema;
  const field = fieldAt(at, path);
  if (value.length < minItems) {
    const sentence = `${path} in body should have at least ${minItems} items`;
    found.add(sentence, invalid(field, value.length, sentence));
  }
  if (value.length > maxItems) {
    const sentence = `${path} in body should have at most ${maxItems} items`;
    found.add(sentence, tooMany(field, value.length, maxItems));
  }
  if (schema.uniqueItems === true && new Set(value.map(distinctKey)).size < value.length) {
    const sentence = `${path} in body shouldn't contain duplicates`;
    found.add(sentence, invalid(field, '', sentence));
  }
  return found;
}
