import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from './finding.ts';
import { fixturesFolder } from './fixture-expectations.ts';

interface Outcome {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function tidy(...args: readonly string[]): Promise<Outcome> {
  return new Promise((settle) => {
    const command = [join(import.meta.dirname, 'cli.ts'), ...args];
    execFile(process.execPath, command, (error, stdout, stderr) => {
      settle({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

const broken = join(fixturesFolder, 'file-size/bad');
const sound = join(fixturesFolder, 'parse/good');
const foreign = join(fixturesFolder, 'parse/good/src');

describe('the command tidy', () => {
  it('prints a line for each finding, then the count, and exits with 1', async () => {
    const { status, stdout, stderr } = await tidy('--root', join(fixturesFolder, 'parse/bad'));
    const [first, second, ...rest] = stdout.split('\n');
    expect({ status, stderr, first, second, rest }).toEqual({
      status: 1,
      stderr: '',
      first: expect.stringMatching(
        /^src\/hosts\/broken\.ts:1 unused-file: src\/hosts\/broken\.ts is used by /,
      ),
      second: expect.stringMatching(
        /^src\/hosts\/broken\.ts:3 parse: src\/hosts\/broken\.ts does not parse: [A-Z].+\. Correct the syntax/,
      ),
      rest: ['2 findings', ''],
    });
  });

  it('exits with 0 when nothing is found', async () => {
    expect(await tidy('--root', sound)).toEqual({ status: 0, stdout: '0 findings\n', stderr: '' });
  });

  it('prints one JSON document on request', async () => {
    const { status, stdout } = await tidy('--json', '--root', broken);
    const reported: { count: number; findings: readonly Finding[] } = JSON.parse(stdout);
    expect({ status, count: reported.count }).toEqual({ status: 1, count: reported.findings.length });
    expect(reported.findings).toContainEqual({
      file: 'src/hosts/long.ts',
      line: 301,
      rule: 'file-size',
      message: 'src/hosts/long.ts has 301 lines, more than 300. Split it by idea, one main export per file.',
    });
  });

  it('compares generated files when the tree has a generator', async () => {
    const { stdout } = await tidy('--root', join(fixturesFolder, 'generated/bad'));
    expect(stdout).toContain('docs/reference/edited.md:2 generated: ');
  });

  it('explains itself', async () => {
    const { status, stdout, stderr } = await tidy('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('Usage: node test/architecture/cli.ts [--root DIR] [--json] [--help]');
  });

  it.each([
    { args: ['--fix'], reason: "Unknown option '--fix'" },
    { args: ['src'], reason: "Unexpected argument 'src'" },
    { args: ['--root'], reason: "Option '--root <value>' argument missing" },
    { args: ['--root', 'no/such/folder'], reason: 'no/such/folder is not a directory' },
    {
      args: ['--root', foreign],
      reason: `${foreign} holds nothing to check: none of src, lab, test, scripts, bench, dashboard\n`,
    },
  ])('refuses $args with status 64', async ({ args, reason }) => {
    const { status, stdout, stderr } = await tidy(...args);
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toContain(`tidy: ${reason}`);
  });
});
