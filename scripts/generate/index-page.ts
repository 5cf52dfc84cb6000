/** The first page of the reference: one line per kind, and links to vocabulary, settings, metrics and rights. */
import { kinds } from '../../src/api/kinds/kinds.ts';
import { kebabCase } from './kebab-case.ts';
import { markdownTable } from './markdown-table.ts';

export function indexPage(): string {
  return [
    '# Reference',
    'All pages are generated: the page of a kind from the schema of its CustomResourceDefinition, the others from the tables of the code.',
    markdownTable(
      ['Kind', 'Group', 'What it is'],
      kinds.map(({ kind, group, summary }) => [`[${kind}](${kebabCase(kind)}.md)`, `\`${group}\``, summary]),
    ),
    'Labels, annotations, finalizers, conditions and reasons are in the [vocabulary](vocabulary.md), flags and variables in the [settings](settings.md), metrics in [metrics](metrics.md), the RBAC rights in [rights](rights.md), and the HTTP API of dispatch in an [OpenAPI document](dispatch-openapi.json). [Examples](../examples/README.md) has objects to start from.',
  ].join('\n\n');
}
