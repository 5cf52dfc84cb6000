/** The reference page of metrics: every name, what it says and its labels. */
import { metricCatalogue } from './metric-catalogue.ts';
import { markdownTable } from './markdown-table.ts';

export function metricsPage(): string {
  return [
    '# Metrics',
    'What `/metrics` of `muster manager` and of `muster dispatch` shows, each its own part of this, beside what every Node process has (`process_…`, `nodejs_…`, with the lag of its event loop). Every replica serves it; alerts over all of them take the greatest value, for what is known only to the replica that leads is absent or 0 on the others.',
    markdownTable(
      ['Metric', 'Type', 'Labels', 'Says'],
      metricCatalogue.map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]),
    ),
    'A label whose value a server makes up, such as a reason, has at most 100 values; further ones are counted as `other`.',
  ].join('\n\n');
}
