/** The alerts of the chart use existing metrics, have test cases for both outcomes, and are documented. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricCatalogue } from '../../scripts/generate/metric-catalogue.ts';
import { reasons } from '../../src/api/conditions/reasons.ts';
import { alertCases } from './alert-cases.ts';
import { alertRules } from './alert-rules.ts';

const page = readFileSync('docs/installing.md', 'utf8');

describe.each(alertRules)('the alert $alert', ({ alert, expr, labels, annotations }) => {
  it('uses only existing metrics', () => {
    const named = expr.match(/\b(muster|scaleway|capt|tuist_runners)_\w+/g) ?? [];
    const known = new Set(metricCatalogue.map(({ name }) => name));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(named).not.toEqual([]);
  });

  it('uses only existing results of provider calls', () => {
    const results = /result=~"([^"]+)"/.exec(expr)?.[1]?.split('|') ?? [];
    expect(results.filter((result) => result !== 'fault' && !(result in reasons))).toEqual([]);
  });

  it('has a severity, a description and a remedy', () => {
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(0);
    expect(annotations.description.length).toBeGreaterThan(0);
  });

  it('has a case in which it fires and one in which it does not', () => {
    const cases = alertCases.filter((one) => one.alert === alert);
    expect(new Set(cases.map(({ fires }) => fires.length > 0))).toEqual(new Set([true, false]));
  });

  it('is documented', () => {
    expect(page).toContain(`| \`${alert}\` `);
  });
});
