/** Derives the CustomResourceDefinition of a kind. */
import { version } from '../names/groups.ts';
import type { Column, Kind } from '../kinds/kind.ts';
import { labels } from '../names/labels.ts';
import type { StructuralSchema } from './structural-keywords.ts';
import { structuralSchema } from './structural-schema.ts';

export function crd(kind: Kind) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}`, labels: crdLabels(kind) },
    spec: {
      group: kind.group,
      scope: kind.scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: [kind.shortName],
        ...(kind.speaksClusterApi && { categories: ['cluster-api'] }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(kind.columns.length > 0 && { additionalPrinterColumns: kind.columns.map(printerColumn) }),
          ...('status' in kind.schema.shape && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: objectSchema(kind) },
        },
      ],
    },
  } as const;
}

/** Schema of `spec` and, if present, `status`. */
export function fieldsSchema(kind: Kind): StructuralSchema {
  return structuralSchema(kind.schema.omit({ apiVersion: true, kind: true, metadata: true }));
}

/** The API server defines `metadata` itself and rejects a definition that does. */
function objectSchema(kind: Kind): StructuralSchema {
  const fields = fieldsSchema(kind);
  return {
    ...fields,
    description: kind.summary,
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this object.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object' },
      ...fields.properties,
    },
  };
}

/** Cluster API core finds by these labels which version of a kind supports which of its contracts. */
function crdLabels(kind: Kind): Readonly<Record<string, string>> {
  return {
    [labels.appName.key]: 'muster',
    ...(kind.speaksClusterApi && {
      [labels.contractV1Beta1.key]: version,
      [labels.contractV1Beta2.key]: version,
    }),
  };
}

function printerColumn(column: Column) {
  const { name, type, path } = column;
  return { name, type, jsonPath: path, ...(column.wide === true && { priority: 1 }) };
}
