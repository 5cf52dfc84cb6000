/** A test file outside of every project of the configuration would never run, without any error. */
import { matchesGlob, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exclusiveTests } from '../../scripts/exclusive-tests.ts';
import configuration from '../../vitest.config.ts';
import { filesUnder } from './tree.ts';

const root = resolve(import.meta.dirname, '../..');
const globs = z.array(z.string()).min(1);
const { projects } = z
  .object({
    projects: z.array(z.object({ test: z.object({ name: z.string(), include: globs, exclude: globs }) })),
  })
  .parse(configuration.test);

const matchesAny = (path: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesGlob(path, pattern));

function takers(path: string): readonly string[] {
  return projects
    .filter(({ test }) => matchesAny(path, test.include) && !matchesAny(path, test.exclude))
    .map(({ test }) => test.name);
}

const testFiles = filesUnder(root, '.')
  .map((path) => path.slice('./'.length))
  .filter((path) => path.endsWith('.test.ts'));
const isFixture = (path: string): boolean => path.startsWith('test/architecture/fixtures/');

describe('the projects of vitest.config.ts', () => {
  it('run each test file of the project exactly once', () => {
    const counted = testFiles
      .filter((path) => !isFixture(path))
      .map((path) => ({ path, by: takers(path).length }));
    expect(counted).toContainEqual({ path: 'test/architecture/vitest-projects.test.ts', by: 1 });
    expect(counted.filter(({ by }) => by !== 1)).toEqual([]);
  });

  it('start reference programs only in the projects for that', () => {
    const isIntegration = (path: string): boolean => path.endsWith('.integration.test.ts');
    const integration = new Set(testFiles.filter(isIntegration).flatMap(takers));
    const others = new Set(testFiles.filter((path) => !isIntegration(path)).flatMap(takers));
    expect(integration).toEqual(new Set(['integration', 'exclusive']));
    expect(others).toEqual(new Set(['unit', 'exclusive']));
  });

  it('run each exclusive file, and no other, one after another', () => {
    expect(testFiles.filter((path) => takers(path).includes('exclusive'))).toEqual(
      testFiles.filter((path) => exclusiveTests.includes(path)),
    );
    expect(exclusiveTests.filter((path) => !testFiles.includes(path))).toEqual([]);
  });

  it('leave the fixtures of tidy alone', () => {
    const fixtures = testFiles.filter(isFixture);
    expect(fixtures).not.toEqual([]);
    expect(fixtures.filter((path) => takers(path).length > 0)).toEqual([]);
  });
});
