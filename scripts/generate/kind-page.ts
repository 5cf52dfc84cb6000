/** The reference page of one kind: names, columns, and every field of spec and status. */
import { fieldsSchema } from '../../src/api/crd/crd.ts';
import type { Kind } from '../../src/api/kinds/kind.ts';
import { schemaFields } from '../../src/api/crd/schema-fields.ts';
import { conditionTable } from './condition-table.ts';
import { fieldTable } from './field-table.ts';
import { markdownTable } from './markdown-table.ts';

export function kindPage(kind: Kind): string {
  const fields = schemaFields(fieldsSchema(kind));
  const under = (top: string) => fields.filter(({ path }) => path === top || path.startsWith(`${top}.`));
  return [
    `# ${kind.kind}`,
    kind.summary,
    nameTable(kind),
    '## Columns of `kubectl get`',
    columnTable(kind),
    '## Spec',
    fieldTable(under('spec')),
    '## Status',
    ...statusSection(kind, under('status')),
  ].join('\n\n');
}

function nameTable(kind: Kind): string {
  return markdownTable(
    ['', ''],
    [
      ['API version', `\`${kind.group}/${kind.version}\``],
      ['Names for kubectl', `\`${kind.plural}\`, \`${kind.kind.toLowerCase()}\`, \`${kind.shortName}\``],
      ['Scope', kind.scope === 'Cluster' ? 'the whole cluster' : 'a namespace'],
      ...(kind.speaksClusterApi
        ? [['Cluster API', 'contracts v1beta1 and v1beta2; in category `cluster-api`']]
        : []),
    ],
  );
}

function columnTable(kind: Kind): string {
  if (kind.columns.length === 0) return 'Name and age only.';
  return markdownTable(
    ['Column', 'Shows', 'When'],
    kind.columns.map(({ name, path, wide }) => [
      name,
      `\`${path}\``,
      wide === true ? 'only with `-o wide`' : 'always',
    ]),
  );
}

function statusSection(kind: Kind, fields: ReturnType<typeof schemaFields>): readonly string[] {
  if (fields.length === 0) return ['This kind has no status.'];
  return [
    'Written by Muster through the `status` subresource.',
    fieldTable(fields),
    '### Conditions',
    conditionTable(kind.kind),
    'The [vocabulary](vocabulary.md#reasons) explains each reason.',
  ];
}
