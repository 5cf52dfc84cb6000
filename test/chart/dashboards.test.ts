/** The dashboards of the chart use existing metrics, and their panels do not overlap. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { metricCatalogue } from '../../scripts/generate/metric-catalogue.ts';

const dashboardSchema = z.object({
  uid: z.string(),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

const { panels, uid } = dashboardSchema.parse(
  JSON.parse(readFileSync('charts/muster/dashboards/runners.json', 'utf8')),
);
const known = new Set(
  metricCatalogue.flatMap(({ type, name }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

it('keeps the id of existing links', () => {
  expect(uid).toBe('tuist-runners');
});

it('uses only existing metrics', () => {
  const named = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(muster|tuist_runners)_\w+/g) ?? []),
  );
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

it('has panels without overlap, with unique ids', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

it('shows every duration metric of jobs and repairs', () => {
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
  const times = metricCatalogue.filter(({ name }) => name.endsWith('_milliseconds'));
  expect(times.map(({ name }) => name).filter((name) => !shown.includes(`${name}_bucket`))).toEqual([]);
  expect(times).toHaveLength(7);
});
