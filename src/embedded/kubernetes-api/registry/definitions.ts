/** CustomResourceDefinitions as a resource: defaults, validation, and a deletion that waits for clean-up. */
import { readFileSync } from 'node:fs';
import { ruleFaults } from '../cel/rule-faults.ts';
import { isJsonEqual, isJsonObject, type JsonObject } from '../json.ts';
import { textAt, withFields, type KubeObject } from '../kube-object.ts';
import { checkSchema } from '../schema/check-schema.ts';
import type { Cause } from '../status-error.ts';
import { createdColumns } from './builtin-columns.ts';
import { builtin } from './builtin.ts';
import { definitionSchema, type Definition } from './custom-resource.ts';

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const definitions = builtin({
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  columns: createdColumns,
  group: 'apiextensions.k8s.io',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  countsGenerations: true,
  unconditionalUpdate: false,
  subresources: ['status'],
  finalizerOnDelete: cleanupFinalizer,
  schema: {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
  definitions: describedParts,
  complete: withDefaults,
  validate: causes,
});

const described = new URL('./generated/definition-schemas.json', import.meta.url);
let parts: ReadonlyMap<string, JsonObject> | undefined;

/** The fields of a definition, without descriptions. Read on the first request of the OpenAPI document. */
function describedParts(): ReadonlyMap<string, JsonObject> {
  if (parts !== undefined) return parts;
  const read: Readonly<Record<string, JsonObject>> = JSON.parse(readFileSync(described, 'utf8'));
  parts = new Map(Object.entries(read));
  return parts;
}

export function definitionIn(object: KubeObject): Definition | undefined {
  return definitionSchema.safeParse(object).data;
}

function withDefaults(object: KubeObject): KubeObject {
  const spec = objectAt(object, 'spec');
  const names = objectAt(spec, 'names');
  const kind = textAt(names, 'kind') ?? '';
  const filled = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
  return withFields(object, { spec: { conversion: { strategy: 'None' }, ...spec, names: filled } });
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function causes(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const parsed = definitionSchema.safeParse(object);
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => {
      const missing = issue.code === 'invalid_type' && issue.message.includes('received undefined');
      return {
        field: pathOf(issue.path),
        reason: missing ? 'FieldValueRequired' : 'FieldValueInvalid',
        message: issue.message,
      };
    });
  }
  return [
    ...nameCauses(parsed.data),
    ...storageCauses(parsed.data),
    ...schemaCauses(parsed.data, old === undefined ? undefined : definitionIn(old)),
    ...fixedCauses(parsed.data, old),
  ];
}

function nameCauses({ metadata, spec }: Definition): readonly Cause[] {
  const wanted = `${spec.names.plural}.${spec.group}`;
  if (metadata.name === wanted) return [];
  return [
    {
      field: 'metadata.name',
      reason: 'FieldValueInvalid',
      message: `must be spec.names.plural+"."+spec.group`,
    },
  ];
}

/** Objects are stored by group and scope, so these are immutable. */
function fixedCauses({ spec }: Definition, old: KubeObject | undefined): readonly Cause[] {
  const before = old === undefined ? undefined : definitionIn(old)?.spec;
  if (before === undefined) return [];
  const changed = (['group', 'scope'] as const).filter((field) => before[field] !== spec[field]);
  return changed.map((field) => ({
    field: `spec.${field}`,
    reason: 'FieldValueInvalid',
    message: 'field is immutable',
  }));
}

function storageCauses({ spec }: Definition): readonly Cause[] {
  const stored = spec.versions.filter((version) => version.storage).length;
  if (stored === 1) return [];
  return [
    {
      field: 'spec.versions',
      reason: 'FieldValueInvalid',
      message: 'must have exactly one version marked as storage version',
    },
  ];
}

/** Errors of a single version have the path of the old top-level schema. */
function schemaCauses({ spec }: Definition, old: Definition | undefined): readonly Cause[] {
  return spec.versions.flatMap((version, index): readonly Cause[] => {
    const at =
      spec.versions.length === 1
        ? 'spec.validation.openAPIV3Schema'
        : `spec.versions[${index}].schema.openAPIV3Schema`;
    if (version.schema === undefined) {
      return [
        {
          field: `spec.versions[${index}].schema.openAPIV3Schema`,
          reason: 'FieldValueRequired',
          message: 'schemas are required',
        },
      ];
    }
    const { openAPIV3Schema } = version.schema;
    const found = checkSchema(openAPIV3Schema, {
      at,
      hasStatusSubresource: version.subresources?.status !== undefined,
    });
    const before = old?.spec.versions.find(({ name }) => name === version.name)?.schema?.openAPIV3Schema;
    // A stored schema may be older than the check.
    if (found.length > 0 || isJsonEqual(before, openAPIV3Schema)) return found;
    return ruleFaults(openAPIV3Schema, at);
  });
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}
