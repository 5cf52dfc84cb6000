/** An embedded resource must have apiVersion and kind. Its metadata is not checked here. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { invalid, required, type Cause } from './cause.ts';
import { additionalOf, propertyOf, type JsonSchema } from './structural-schema.ts';

export function embeddedResourceCauses(
  schema: JsonSchema | undefined,
  value: Json,
  path = '',
): readonly Cause[] {
  if (schema === undefined || !embeds(schema)) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => embeddedResourceCauses(schema.items, item, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  const own = schema['x-kubernetes-embedded-resource'] === true ? ownCauses(value, path) : [];
  const inner = Object.entries(value).flatMap(([key, child]) => {
    const property = propertyOf(schema, key);
    return property === undefined
      ? embeddedResourceCauses(additionalOf(schema), child, `${path}[${key}]`)
      : embeddedResourceCauses(property, child, path === '' ? key : `${path}.${key}`);
  });
  return [...own, ...inner];
}

const embedding = new WeakMap<JsonSchema, boolean>();

/** Skips schemas without embedded resources. */
function embeds(schema: JsonSchema): boolean {
  const known = embedding.get(schema);
  if (known !== undefined) return known;
  const inner = [schema.items, additionalOf(schema), ...Object.values(schema.properties ?? {})];
  const found =
    schema['x-kubernetes-embedded-resource'] === true ||
    inner.some((one) => one !== undefined && embeds(one));
  embedding.set(schema, found);
  return found;
}

function ownCauses(resource: JsonObject, path: string): readonly Cause[] {
  return [
    ...textCauses(resource, { key: 'apiVersion', path, faultOf: versionFault }),
    ...textCauses(resource, { key: 'kind', path, faultOf: kindFault }),
  ];
}

function textCauses(
  resource: JsonObject,
  { key, path, faultOf }: { key: string; path: string; faultOf: (text: string) => string | undefined },
): readonly Cause[] {
  const field = path === '' ? key : `${path}.${key}`;
  if (!Object.hasOwn(resource, key)) return [required(field)];
  const value = resource[key] ?? null;
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')];
  const fault = value === '' ? 'must not be empty' : faultOf(value);
  return fault === undefined ? [] : [invalid(field, value, fault)];
}

function versionFault(apiVersion: string): string | undefined {
  return apiVersion.split('/').length <= 2 ? undefined : `unexpected GroupVersion string: ${apiVersion}`;
}

function kindFault(kind: string): string | undefined {
  return kind.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/i.test(kind)
    ? undefined
    : 'may have mixed case, but should otherwise match a DNS-1035 label';
}
