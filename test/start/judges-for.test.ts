import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { groupsIn, judgesFor } from '../../scripts/judges-for.ts';
import { groupNames } from '../real/judges.ts';
import { filesUnder } from '../tidy/tree.ts';

const use = (by: string): string => `await describeJudged({ name: 'x', ${by}, setUp }, cases);`;

it.for([
  [use("by: 'kube'"), ['kube']],
  [use("by: ['capi', 'helm']"), ['capi', 'helm']],
  [`const by = ['kube', 'helm'] as const;\n${use('by')}`, ['kube', 'helm']],
  [use("by: 'helm'") + use("by: 'postgres'"), ['helm', 'postgres']],
  ["const by: string = 'kube';", []],
  [use('by: group'), groupNames],
  [use('...suite'), groupNames],
] as const)('%s', ([source, groups]) => {
  expect(groupsIn(source)).toEqual(groups);
});

const withoutJudges = ['test/start/run-all.test.ts'];

it('a file without judges needs no program, one with Cluster API also those of its control plane', () => {
  expect(judgesFor(withoutJudges)).toEqual([]);
  const groups = judgesFor(['src/manager/real-core.judged.test.ts']).map(({ group }) => group);
  expect(new Set(groups)).toEqual(new Set(['kube', 'capi', 'helm']));
});

it('each judged file of this project names its groups, except the one that brings up all of them', () => {
  const judged = ['src', 'test', 'scripts'].flatMap((folder) =>
    filesUnder('.', folder).filter((path) => path.endsWith('.judged.test.ts')),
  );
  const allOfThem = judged.filter(
    (path) => groupsIn(readFileSync(path, 'utf8')).length === groupNames.length,
  );
  expect(judged.length).toBeGreaterThan(30);
  expect(allOfThem).toEqual(['test/real/judges.judged.test.ts']);
});
