/** The reference page of metrics: every name with its meaning and labels. */
import { metricCatalogue } from './metric-catalogue.ts';
import { markdownTable } from './markdown-table.ts';

export function metricsPage(): string {
  return [
    '# Metrics',
    'The metrics of `muster manager` and `muster dispatch` under `/metrics`; each has its part of this list, in addition to the metrics of every Node process (`process_…`, `nodejs_…`, with the lag of its event loop). Every replica serves them. Alerts take the greatest value of all replicas, because metrics of the leader are absent or 0 on the others.',
    markdownTable(
      ['Metric', 'Type', 'Labels', 'Says'],
      metricCatalogue.map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]),
    ),
    'A label with values from a server, such as a reason, has at most 100 values; further values count as `other`.',
  ].join('\n\n');
}
