/** Every default must be valid for its own schema, before other defaults apply. */
import { isJsonEqual } from '../json.ts';
import { invalid, type Cause } from './cause.ts';
import { embeddedResourceCauses } from './embedded-resource-causes.ts';
import { pruneNested } from './prune.ts';
import { isPlainScalar, metaFields, type JsonSchema } from './structural-schema.ts';
import { valueFindings } from './value-findings.ts';

export interface DefaultPlace {
  readonly at: string;
  /** Whether the schema describes part of the metadata of a resource. */
  readonly isInsideMeta: boolean;
}

/** Ignores defaults below `additionalProperties`, like the real server. */
export function defaultCauses(schema: JsonSchema, { at, isInsideMeta }: DefaultPlace): readonly Cause[] {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isInside = isInsideMeta && !isEmbedded;
  const { items, properties = {} } = schema;
  return [
    ...ownCauses(schema, { at: `${at}.default`, isInsideMeta: isInside }),
    ...(items === undefined ? [] : defaultCauses(items, { at: `${at}.items`, isInsideMeta: isInside })),
    ...Object.entries(properties).flatMap(([key, property]) =>
      isPlainScalar(property)
        ? []
        : defaultCauses(property, {
            at: `${at}.properties[${key}]`,
            isInsideMeta: isInside || (isEmbedded && metaFields.has(key)),
          }),
    ),
  ];
}

function ownCauses(schema: JsonSchema, { at, isInsideMeta }: DefaultPlace): readonly Cause[] {
  const { default: value } = schema;
  if (value === undefined || value === null) return [];
  const isPruned = isInsideMeta || isJsonEqual(pruneNested(schema, value), value);
  const unknown = isPruned ? [] : [invalid(at, value, 'must not have unknown fields')];
  const embedded = embeddedResourceCauses(schema, value, at);
  const faults =
    embedded.length > 0 ? embedded : valueFindings({ schema, value, path: '', at }).causes.values();
  return [...unknown, ...faults];
}
