/** A test file that no project of the configuration takes is never run, and nobody notices. */
import { matchesGlob, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import configuration, { alone } from '../../vitest.config.ts';
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
const isFixture = (path: string): boolean => path.startsWith('test/tidy/fixtures/');

describe('the projects of vitest.config.ts', () => {
  it('run each test file of the project exactly once', () => {
    const counted = testFiles
      .filter((path) => !isFixture(path))
      .map((path) => ({ path, by: takers(path).length }));
    expect(counted).toContainEqual({ path: 'test/tidy/vitest-projects.test.ts', by: 1 });
    expect(counted.filter(({ by }) => by !== 1)).toEqual([]);
  });

  it('judge only in the projects for that', () => {
    const judged = testFiles.filter((path) => path.endsWith('.judged.test.ts'));
    expect(new Set(judged.flatMap(takers))).toEqual(new Set(['judged', 'alone']));
    const others = testFiles.filter((path) => !path.endsWith('.judged.test.ts'));
    expect(new Set(others.flatMap(takers))).toEqual(new Set(['unit']));
  });

  it('run alone only files that are there', () => {
    expect(alone.filter((path) => !testFiles.includes(path))).toEqual([]);
  });

  it('leave the fixtures of tidy alone', () => {
    const fixtures = testFiles.filter(isFixture);
    expect(fixtures).not.toEqual([]);
    expect(fixtures.filter((path) => takers(path).length > 0)).toEqual([]);
  });
});
