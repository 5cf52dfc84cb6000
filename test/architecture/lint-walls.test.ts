import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixturesFolder, readExpectations } from './fixture-expectations.ts';

const project = resolve(import.meta.dirname, '../..');
let workplace: string;

/** The configuration leaves the fixtures out, so copies are judged outside the project. */
beforeAll(async () => {
  workplace = await mkdtemp(join(tmpdir(), 'muster-lint-walls-'));
  await writeFile(join(workplace, 'package.json'), JSON.stringify({ type: 'module' }));
  const configuration = {
    extends: join(project, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['**/*.ts'],
    exclude: [],
  };
  for (const tool of ['lint', 'tsc']) {
    await cp(join(fixturesFolder, tool), join(workplace, tool), { recursive: true });
    await writeFile(join(workplace, tool, 'tsconfig.json'), JSON.stringify(configuration));
  }
});

afterAll(async () => {
  await rm(workplace, { recursive: true, force: true });
});

interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

/** `tool` is a script under node_modules, `folder` a copied fixture. */
async function run(tool: string, args: readonly string[], folder: string): Promise<Outcome> {
  const command = [join(project, 'node_modules', tool), ...args];
  return new Promise((settle) => {
    execFile(process.execPath, command, { cwd: join(workplace, folder) }, (error, stdout, stderr) => {
      settle({ failed: error !== null, output: stdout + stderr });
    });
  });
}

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/** Places are `<file>:<line> <rule>`; oxlint writes the rule as `plugin(rule)`. */
async function lint(folder: string): Promise<{ failed: boolean; found: readonly string[] }> {
  const args = ['--config', join(project, '.oxlintrc.json'), '--format', 'json'];
  const { failed, output } = await run('oxlint/bin/oxlint', args, folder);
  const { diagnostics }: { diagnostics: readonly Diagnostic[] } = JSON.parse(output);
  const found = diagnostics.map(
    ({ code, filename, labels }) => `${filename}:${labels[0]?.span.line} ${/\((.+)\)/.exec(code)?.[1]}`,
  );
  return { failed, found: found.toSorted() };
}

describe('the lint configuration', () => {
  const walls = [
    'complexity',
    'consistent-type-imports',
    'eqeqeq',
    'max-depth',
    'max-params',
    'no-empty',
    'no-explicit-any',
    'no-floating-promises',
    'no-misused-promises',
    'no-non-null-assertion',
    'no-unassigned-import',
    'no-unsafe-type-assertion',
    'no-var',
    'only-throw-error',
    'prefer-const',
    'prefer-promise-reject-errors',
    'require-array-sort-compare',
    'return-await',
    'switch-exhaustiveness-check',
    'valid-expect',
  ];

  it('reports each wall at the marked line and nothing else', async () => {
    const expected = readExpectations(join(fixturesFolder, 'lint/bad'));
    expect(expected.map((line) => line.split(' ')[1])).toEqual(walls);
    expect(await lint('lint/bad')).toEqual({ failed: true, found: expected });
  });

  it('accepts the same code within the walls', async () => {
    expect(await lint('lint/good')).toEqual({ failed: false, found: [] });
  });
});

describe('the compiler configuration', () => {
  it('refuses what each strict option forbids at the marked line, and nothing else', async () => {
    const { failed, output } = await run('typescript/bin/tsc', ['--pretty', 'false'], 'tsc');
    const found = Array.from(
      output.matchAll(/^(.+)\((\d+),\d+\): error (\w+)/gm),
      ([, file, line, code]) => `${file}:${line} ${code}`,
    );
    const expected = readExpectations(join(fixturesFolder, 'tsc'));
    expect({ failed, found: found.toSorted() }).toEqual({ failed: true, found: expected });
  });
});
