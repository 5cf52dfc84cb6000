/** A condition at the root may only use fields and items that the schema itself describes. */
import { required, type Cause } from './cause.ts';
import { propertyOf, type JsonSchema } from './structural-schema.ts';

export function completenessCauses(schema: JsonSchema, at: string): readonly Cause[] {
  return conditionsOf(schema, at).flatMap(([condition, path]) =>
    nestedCauses([condition, path], [schema, at]),
  );
}

type Placed = readonly [schema: JsonSchema, path: string];

function conditionsOf(schema: JsonSchema, at: string): readonly Placed[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const listed = Object.entries({ allOf, anyOf, oneOf }).flatMap(([keyword, schemas]) =>
    schemas.map((one, index): Placed => [one, `${at}.${keyword}[${index}]`]),
  );
  return not === undefined ? listed : [...listed, [not, `${at}.not`]];
}

function nestedCauses([condition, path]: Placed, described: Placed): readonly Cause[] {
  const [schema, at] = described;
  return [
    ...conditionsOf(condition, path).flatMap((one) => nestedCauses(one, described)),
    ...(condition.items === undefined
      ? []
      : partCauses([condition.items, `${path}.items`], [schema.items, `${at}.items`])),
    ...Object.entries(condition.properties ?? {}).flatMap(([key, one]) =>
      partCauses([one, `${path}.properties[${key}]`], [propertyOf(schema, key), `${at}.properties[${key}]`]),
    ),
  ];
}

function partCauses(
  condition: Placed,
  [schema, at]: readonly [JsonSchema | undefined, string],
): readonly Cause[] {
  if (schema === undefined) return [required(at, `because it is defined in ${condition[1]}`)];
  return nestedCauses(condition, [schema, at]);
}
