/** Checks that a schema is structural: every described value has a type outside of conditions. */
import { forbidden, invalid, required, type Cause } from './cause.ts';
import { conditionCauses } from './condition-causes.ts';
import { additionalOf, isPlainScalar, propertyOf, type JsonSchema } from './structural-schema.ts';

export interface StructurePlace {
  readonly at: string;
  readonly level: 'root' | 'item' | 'field';
}

export function structureCauses(schema: JsonSchema, place: StructurePlace): readonly Cause[] {
  return [
    ...innerCauses(schema, place.at),
    ...typeCauses(schema, place),
    ...additionalCauses(schema, place),
    ...extensionCauses(schema, place.at),
    ...conditionCauses(schema, place.at),
    ...metaCauses(schema, place),
  ];
}

function innerCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const { items, properties = {} } = schema;
  const additional = additionalOf(schema);
  const isBare = schema.type === 'array' && items === undefined;
  return [
    ...(isBare ? [required(`${at}.items`, 'must be specified')] : []),
    ...(items === undefined ? [] : structureCauses(items, { at: `${at}.items`, level: 'item' })),
    ...(additional === undefined
      ? []
      : structureCauses(additional, { at: `${at}.additionalProperties`, level: 'field' })),
    ...Object.entries(properties).flatMap(([key, property]) =>
      isPlainScalar(property)
        ? []
        : structureCauses(property, { at: `${at}.properties[${key}]`, level: 'field' }),
    ),
  ];
}

const whereTypeIsMissing = {
  root: 'at the root',
  item: 'for specified array items',
  field: 'for specified object fields',
};

function typeCauses(schema: JsonSchema, { at, level }: StructurePlace): readonly Cause[] {
  const type: string = schema.type ?? '';
  const path = `${at}.type`;
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    return [type === '' ? required(path, detail) : invalid(path, type, detail)];
  }
  if (type === '')
    return mayLackType(schema) ? [] : [required(path, `must not be empty ${whereTypeIsMissing[level]}`)];
  return level === 'root' && type !== 'object' ? [invalid(path, type, 'must be object at the root')] : [];
}

function mayLackType(schema: JsonSchema): boolean {
  return (
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  );
}

function additionalCauses(schema: JsonSchema, { at, level }: StructurePlace): readonly Cause[] {
  if (schema.additionalProperties === undefined) return [];
  const path = `${at}.additionalProperties`;
  return [
    ...(level === 'root' ? [forbidden(path, 'must not be used at the root')] : []),
    ...(schema['x-kubernetes-embedded-resource'] === true
      ? [forbidden(path, 'must not be used if x-kubernetes-embedded-resource is set')]
      : []),
  ];
}

function extensionCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isPreserving = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isEmbedded && !isPreserving && Object.keys(schema.properties ?? {}).length === 0) {
    const detail = 'must not be empty for an embedded resource that does not preserve unknown fields';
    return [required(`${at}.properties`, detail)];
  }
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  return [
    ...(isPreserving ? [invalid(`${at}.x-kubernetes-preserve-unknown-fields`, true, detail)] : []),
    ...(isEmbedded ? [invalid(`${at}.x-kubernetes-embedded-resource`, true, detail)] : []),
  ];
}

/** A schema may restrict only the names in the metadata of a resource. */
function metaCauses(schema: JsonSchema, { at, level }: StructurePlace): readonly Cause[] {
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const wanted = { apiVersion: 'string', kind: 'string', metadata: 'object' };
  const wrongTypes = Object.entries(wanted).flatMap(([key, type]) => {
    const property = propertyOf(schema, key);
    if (!isResource || property === undefined || property.type === type) return [];
    return [invalid(`${at}.properties[${key}].type`, property.type ?? '', `must be ${type}`)];
  });
  const metadata = propertyOf(schema, 'metadata');
  if (level !== 'root' || metadata === undefined || restrictsOnlyNames(metadata)) return wrongTypes;
  const detail =
    'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [...wrongTypes, forbidden(`${at}.properties[metadata]`, detail)];
}

function restrictsOnlyNames({ properties = {}, ...rest }: JsonSchema): boolean {
  const { type: _type, default: _default, ...others } = rest;
  return (
    Object.keys(properties).every((key) => key === 'name' || key === 'generateName') &&
    Object.values(others).every(
      (value) => value === false || value === '' || (Array.isArray(value) && value.length === 0),
    )
  );
}
