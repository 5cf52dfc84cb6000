/** The queries of the dashboards under the real promtool: each panel has a valid query. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { Client } from '../integration/client.ts';
import { pathOf } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';

const dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
});
const { panels } = dashboard.parse(JSON.parse(readFileSync('charts/muster/dashboards/runners.json', 'utf8')));
const questions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

async function setUp({ bench, workplace }: Harness) {
  const program = pathOf(bench, 'promtool');
  return { promtool: new Client({ program, env: process.env, unless: workplace.died }), dir: workplace.dir };
}

await describeIntegration({ name: 'the dashboards of the chart', by: 'prometheus', setUp }, (given) => {
  it('every query is well formed', async () => {
    const { promtool, dir } = given();
    const file = join(dir, 'questions.yaml');
    const rules = questions.map((expr, at) => ({ record: `question:${at}`, expr }));
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules }] }, { lineWidth: 0 }));
    expect(await promtool.ok('check', 'rules', file)).toContain(`${questions.length} rules found`);
  });
});
