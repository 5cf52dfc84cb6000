/** The first page of the reference: one line per kind, and where the words, settings, metrics and rights are. */
import { kinds } from '../../src/api/kinds/kinds.ts';
import { kebabCase } from './kebab-case.ts';
import { markdownTable } from './markdown-table.ts';

export function indexPage(): string {
  return [
    '# Reference',
    'Each page is generated: that of a kind from the same schema as its CustomResourceDefinition, the others from the tables that the code uses.',
    markdownTable(
      ['Kind', 'Group', 'What it is'],
      kinds.map(({ kind, group, summary }) => [`[${kind}](${kebabCase(kind)}.md)`, `\`${group}\``, summary]),
    ),
    'Labels, annotations, finalizers, conditions and reasons are in the [vocabulary](vocabulary.md), flags and variables in the [settings](settings.md), what is measured in the [metrics](metrics.md), what the manager asks of Kubernetes in the [rights](rights.md), and what dispatch answers over HTTP in an [OpenAPI document](dispatch-openapi.json). Objects to start from are in [examples](../examples/README.md).',
  ].join('\n\n');
}
