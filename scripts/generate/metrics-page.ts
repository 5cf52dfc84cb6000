/** The reference page of metrics: every name, what it says and its labels. */
import { metricCatalogue } from '../../src/runtime/metric-catalogue.ts';
import { markdownTable } from './markdown-table.ts';

export function metricsPage(): string {
  return [
    '# Metrics',
    'What `/metrics` of a process that runs controllers shows, beside what every Node process has (`process_…`, `nodejs_…`, with the lag of its event loop). No command serves it yet; `muster manager` will.',
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
