/** The alerts under the real promtool: well-formed, firing when they should, and silent otherwise. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { metricCatalogue } from '../../scripts/generate/metric-catalogue.ts';
import { PromMetrics } from '../../src/platform/process/prom-metrics.ts';
import { Client } from '../integration/client.ts';
import { pathOf } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import type { AlertCase } from './alert-case.ts';
import { alertCases } from './alert-cases.ts';
import { alertRules, groupsIn, ruleFiles } from './alert-rules.ts';
import { helmAlone, only, render } from './rendered.ts';

const files = Object.values(ruleFiles);
const severities = new Map(alertRules.map(({ alert, labels }) => [alert, labels.severity]));

function promtoolAt({ bench, workplace }: Harness) {
  const promtool = new Client({
    program: pathOf(bench, 'promtool'),
    env: process.env,
    unless: workplace.died,
  });
  return { promtool, dir: workplace.dir };
}

/** Prometheus itself makes `ALERTS` from a rule. */
function testOf({ alert, series, at, fires }: AlertCase): object {
  const labelsOf = (labels: Readonly<Record<string, string>>): string =>
    Object.entries({ alertname: alert, alertstate: 'firing', severity: severities.get(alert), ...labels })
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ');
  return {
    rule_files: files,
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: `ALERTS{alertname="${alert}", alertstate="firing"}`,
            eval_time: at,
            exp_samples: fires.map((labels) => ({ labels: `ALERTS{${labelsOf(labels)}}`, value: 1 })),
          },
        ],
      },
    ],
  };
}

/** A scrape in which each metric has one series. */
/** Dashboards of existing fleets use these names, so the names stay, against the present convention. */
const keptNames = /^tuist_runners_.*_(count|milliseconds)$/;

function oneOfEach(): Promise<string> {
  const metrics = new PromMetrics();
  for (const metric of metricCatalogue.filter(({ name }) => !keptNames.test(name))) {
    const labels = Object.fromEntries(metric.labels.map((label) => [label, 'x']));
    if (metric.type === 'counter') metrics.counter(metric, labels).add();
    else if (metric.type === 'gauge') metrics.gauge(metric, labels, () => 1);
    else metrics.histogram(metric, labels).observe(1);
  }
  return metrics.text();
}

await describeIntegration(
  {
    name: 'the alerts of the chart',
    by: 'prometheus',
    setUp: (harness) => Promise.resolve(promtoolAt(harness)),
  },
  (given) => {
    it.for(files)('promtool understands each rule of %s', async (file) => {
      const said = await given().promtool.ok('check', 'rules', '--lint-fatal', file);
      expect(said).toContain(`${groupsIn(file).flatMap(({ rules }) => rules).length} rules found`);
    });

    it('promtool accepts the metrics of the alerts', async () => {
      expect(await given().promtool.feed(await oneOfEach(), 'check', 'metrics')).toBe('');
    });

    it.each(alertCases)('$alert: $what', async (one) => {
      const file = join(given().dir, 'case.yaml');
      await writeFile(file, JSON.stringify(testOf(one)));
      expect(await given().promtool.ok('test', 'rules', file)).toContain('SUCCESS');
    });
  },
);

await describeIntegration(
  { name: 'the alerts, rendered', by: 'helm', setUp: (harness) => Promise.resolve(helmAlone(harness)) },
  (helm) => {
    it('are rendered only on request, because not every cluster has the kind', async () => {
      const kinds = (await render(helm())).map(({ kind }) => kind);
      expect(kinds).not.toContain('PrometheusRule');
    });

    it('equal the file, with the labels that the operator selects', async () => {
      const set = 'alerts.enabled=true,alerts.labels.release=prometheus';
      const rule = only(await render(helm(), '--set', set), 'PrometheusRule');
      expect(rule['spec']).toEqual({ groups: groupsIn(ruleFiles.always) });
      expect(rule.metadata['labels']).toMatchObject({ release: 'prometheus' });
    });

    it('include those of dispatch where it is installed', async () => {
      const set = 'alerts.enabled=true,dispatch.enabled=true,dispatch.github.appId=4711';
      const rule = only(await render(helm(), '--set', set), 'PrometheusRule');
      expect(rule['spec']).toEqual({ groups: files.flatMap(groupsIn) });
    });
  },
);
