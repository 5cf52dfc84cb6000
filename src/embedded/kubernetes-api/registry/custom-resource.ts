/** The resources of a CustomResourceDefinition: one for each served version. */
import { z } from 'zod';
import type { Json, JsonObject } from '../json.ts';
import { asObject, finalizersOf, type KubeObject } from '../kube-object.ts';
import { celCauses } from '../cel/cel-causes.ts';
import { applyDefaults } from '../schema/default.ts';
import { prune } from '../schema/prune.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';
import { validate } from '../schema/validate.ts';
import { columnSchema, customColumns } from '../table/custom-columns.ts';
import { verbs } from '../verb.ts';
import { metadataFields, withoutStatus } from './builtin.ts';
import { nextCustom } from './next-state.ts';
import { hasEmbedded, withEmbeddedMetadata } from './embedded-metadata.ts';
import { valueAt } from './field-path.ts';
import type { Cause } from '../status-error.ts';
import type { Resource, Subresource } from './resource.ts';

/** A parsed body is always JSON, so a schema of 100,000 properties is not checked for that. */
const json = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const scaleSchema = z.object({
  specReplicasPath: z.string(),
  statusReplicasPath: z.string(),
  labelSelectorPath: z.string().optional(),
});

/** The part of a definition that the server uses. */
export const definitionSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    group: z.string().min(1),
    scope: z.enum(['Namespaced', 'Cluster']),
    names: z.object({
      plural: z.string().min(1),
      singular: z.string().optional(),
      kind: z.string().min(1),
      listKind: z.string().optional(),
      shortNames: z.array(z.string()).default([]),
      categories: z.array(z.string()).default([]),
    }),
    versions: z
      .array(
        z.object({
          name: z.string().min(1),
          served: z.boolean(),
          deprecated: z.boolean().optional(),
          deprecationWarning: z.string().optional(),
          storage: z.boolean(),
          schema: z.object({ openAPIV3Schema: json }).optional(),
          subresources: z.object({ status: json.optional(), scale: scaleSchema.optional() }).optional(),
          additionalPrinterColumns: z.array(columnSchema).default([]),
          selectableFields: z.array(z.object({ jsonPath: z.string() })).optional(),
        }),
      )
      .min(1),
  }),
});

export type Definition = z.infer<typeof definitionSchema>;
type Version = Definition['spec']['versions'][number];

export function resourcesOf(definition: Definition): readonly Resource[] {
  const storage = definition.spec.versions.find((version) => version.storage)?.name ?? '';
  return definition.spec.versions
    .filter((version) => version.served)
    .map((version) => resourceOf(definition, version, storage));
}

function resourceOf({ spec }: Definition, version: Version, storage: string): Resource {
  const schema: JsonSchema = version.schema?.openAPIV3Schema ?? {};
  const embeds = hasEmbedded(schema);
  const show = (object: KubeObject, apiVersion: string): KubeObject => ({
    ...complete(schema, object),
    apiVersion,
  });
  return {
    ...namesOf(spec),
    version: version.name,
    subresources: new Set(subresourcesOf(version)),
    schema,
    verbs,
    typedItems: true,
    countsGenerations: true,
    unconditionalUpdate: false,
    createOnUpdate: false,
    returnsDeleted: false,
    finalizerOnDelete: undefined,
    blank: {},
    definitions: () => new Map(),
    closed: false,
    deprecation: deprecationOf(spec, version),
    undeletable: new Set(),
    storedAs: undefined,
    nameRule: 'subdomain',
    selectable: { ...metadataFields, ...selectableOf(version) },
    serve: (object) => show(object, `${spec.group}/${version.name}`),
    scale: version.subresources?.scale,
    columns: customColumns(version.additionalPrinterColumns),
    plainFinalizers: 'warned',
    graceSeconds: () => 0,
    prepareNew: version.subresources?.status === undefined ? (object) => object : withoutStatus,
    admit: (object) => object,
    next: nextCustom(subresourcesOf(version).includes('status')),
    holders: finalizersOf,
    marked: (object) => object,
    conform: (object) => {
      const unknown: string[] = [];
      const typed = embeds ? withEmbeddedMetadata(schema, object, unknown) : object;
      const pruned = prune(schema, typed);
      // All versions are stored in one form, so that a write through another version is no change.
      return {
        object: show(asObject(pruned.value, object), `${spec.group}/${storage}`),
        unknown: [...unknown, ...pruned.unknown],
      };
    },
    validate: causesFor(version, schema),
  };
}

function deprecationOf({ group, names }: Definition['spec'], version: Version): string | undefined {
  if (version.deprecated !== true) return undefined;
  return version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated`;
}

function causesFor(version: Version, schema: JsonSchema): Resource['validate'] {
  return (object, old, isDoubtful = false) => {
    const causes = [...scaleCauses(version, object), ...validate(schema, object, old)];
    // CEL rules assume the types of the schema, so they run only on well-typed objects.
    return isDoubtful || object.metadata.name === '' || causes.some(({ reason }) => blocking.has(reason))
      ? causes
      : [...causes, ...celCauses(schema, object, old)];
  };
}

/** Causes that prevent the evaluation of CEL rules. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

/** The replicas of a scale must be a nonnegative integer. */
function scaleCauses({ subresources }: Version, object: KubeObject): readonly Cause[] {
  const { specReplicasPath, statusReplicasPath } = subresources?.scale ?? {};
  return [specReplicasPath, statusReplicasPath].flatMap((path) => {
    const count = path === undefined ? undefined : valueAt(object, path);
    if (path === undefined || count === undefined || isCount(count)) return [];
    return [{ field: path, reason: 'FieldValueInvalid', message: 'should be a non-negative integer' }];
  });
}

function isCount(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function namesOf({ group, scope, names }: Definition['spec']) {
  const { plural, kind, shortNames, categories } = names;
  return {
    group,
    plural,
    singular: names.singular ?? kind.toLowerCase(),
    kind,
    listKind: names.listKind ?? `${kind}List`,
    shortNames,
    categories,
    namespaced: scope === 'Namespaced',
  };
}

/** Defaults apply on reads too: an object may be older than the default. */
function complete(schema: JsonSchema, object: KubeObject): KubeObject {
  return asObject(applyDefaults(schema, object), object);
}

function subresourcesOf(version: Version): readonly Subresource[] {
  const { status, scale } = version.subresources ?? {};
  return [
    ...(status === undefined ? [] : (['status'] as const)),
    ...(scale === undefined ? [] : (['scale'] as const)),
  ];
}

function selectableOf(version: Version): Resource['selectable'] {
  const paths = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
  return Object.fromEntries(
    paths.map((path) => [path, (object: KubeObject) => textOf(valueAt(object, path))]),
  );
}

function textOf(value: Json | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
