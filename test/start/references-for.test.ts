import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { groupsIn, programsFor } from '../../scripts/references-for.ts';
import { groupNames } from '../reference/programs.ts';
import { filesUnder } from '../architecture/tree.ts';

const use = (by: string): string => `await describeIntegration({ name: 'x', ${by}, setUp }, cases);`;

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

const withoutPrograms = ['test/start/run-all.test.ts'];

it('a file that names no group needs no program, one with Cluster API also those of its control plane', () => {
  expect(programsFor(withoutPrograms)).toEqual([]);
  const groups = programsFor(['test/integration/cluster-api/real-core.integration.test.ts']).map(
    ({ group }) => group,
  );
  expect(new Set(groups)).toEqual(new Set(['kube', 'capi', 'helm']));
});

it('each integration test names its groups, except the one that brings up all of them', () => {
  const tests = ['src', 'lab', 'test', 'scripts'].flatMap((folder) =>
    filesUnder('.', folder).filter((path) => path.endsWith('.integration.test.ts')),
  );
  const allOfThem = tests.filter((path) => groupsIn(readFileSync(path, 'utf8')).length === groupNames.length);
  expect(tests.length).toBeGreaterThan(30);
  expect(allOfThem).toEqual(['test/reference/programs.integration.test.ts']);
});
