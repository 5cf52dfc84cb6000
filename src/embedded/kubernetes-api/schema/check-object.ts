/** The keywords `properties`, `additionalProperties`, `required`, `minProperties` and `maxProperties`. */
import { isJsonObject, type JsonObject } from '../json.ts';
import { invalid, required, tooMany } from './cause.ts';
import { fieldAt, Findings, type Descend, type Place } from './findings.ts';
import { metaFields, propertyOf, schemaOfKey } from './structural-schema.ts';

export function checkObject(place: Place, descend: Descend): Findings | undefined {
  const { schema, value, path, at } = place;
  if (!isJsonObject(value)) return undefined;
  const found = sizeFindings(place, Object.keys(value).length);
  for (const [key, child] of Object.entries(value)) {
    const inner = schemaOfKey(schema, key);
    // Like the real server, a map key is written as a field.
    const childPath = path === '' && propertyOf(schema, key) !== undefined ? key : `${path}.${key}`;
    if (inner !== undefined)
      found.merge(
        descend({ schema: inner, value: child, path: childPath, at, correlated: before(place, key) }),
      );
    else if (schema.additionalProperties === false) {
      const sentence = `${path}.${key} in body is a forbidden property`;
      found.add(sentence, invalid(fieldAt(at, path), key, sentence));
    }
  }
  return found.merge(missingFields(place, value));
}

/** Version and kind of the root come from the request, so they are always checked. */
function before(
  { correlated, path }: Place,
  key: string,
): ReturnType<NonNullable<typeof correlated>['atKey']> {
  return path === '' && key !== 'metadata' && metaFields.has(key) ? undefined : correlated?.atKey(key);
}

function sizeFindings({ schema, path, at }: Place, size: number): Findings {
  const found = new Findings();
  const { minProperties = 0, maxProperties = Infinity } = schema;
  if (size < minProperties) {
    const sentence = `${path} in body should have at least ${minProperties} properties`;
    found.add(sentence, invalid(fieldAt(at, path), size, sentence));
  }
  if (size > maxProperties)
    found.add(
      `${path} in body should have at most ${maxProperties} properties`,
      tooMany(fieldAt(at, path), size, maxProperties),
    );
  return found;
}

function missingFields({ schema, path, at }: Place, value: JsonObject): Findings {
  const found = new Findings();
  for (const key of schema.required ?? [])
    if (!Object.hasOwn(value, key))
      found.add(`${path}.${key} in body is required`, required(fieldAt(at, `${path}.${key}`)));
  return found;
}
