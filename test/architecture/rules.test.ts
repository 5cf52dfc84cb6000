import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixturesFolder, readExpectations } from './fixture-expectations.ts';
import type { Finding } from './finding.ts';
import { loadGeneratedFiles } from './generated-files.ts';
import { checkTree } from './tidy.ts';

const rules = readdirSync(join(import.meta.dirname, 'rules')).map((name) => basename(name, '.ts'));

async function check(rule: string, tree: 'bad' | 'good'): Promise<readonly Finding[]> {
  const root = join(fixturesFolder, rule, tree);
  const generated = await loadGeneratedFiles(root);
  return checkTree(root, { rules: [rule], ...(generated !== undefined && { generated }) });
}

describe.each(rules)('rule %s', (rule) => {
  it('has a tree that violates the rule and a tree that follows it', () => {
    const missing = ['bad', 'good'].filter((tree) => !existsSync(join(fixturesFolder, rule, tree)));
    expect(missing).toEqual([]);
  });

  it('finds exactly the marked faults', async () => {
    const findings = await check(rule, 'bad');
    const expected = readExpectations(join(fixturesFolder, rule, 'bad'));
    expect(expected).not.toEqual([]);
    expect(findings.map((found) => `${found.file}:${found.line} ${found.rule}`).toSorted()).toEqual(expected);
  });

  it('accepts the near misses', async () => {
    expect(await check(rule, 'good')).toEqual([]);
  });

  it('names in each message the file, the fault and the remedy', async () => {
    const orders =
      'Add|Assert|Compare|Correct|Delete|Handle|Keep|Make|Move|Observe|Remove|Rename|Run|Split|Take|Use|Wait|Write';
    const unclear = (await check(rule, 'bad')).filter(({ file, message }) => {
      const fault = message.startsWith(`${file} `) ? message.slice(file.length + 1) : '';
      return !new RegExp(`^[a-z].+\\. (${orders}) .+\\.$`).test(fault);
    });
    expect(unclear).toEqual([]);
  });
});

it('has no fixture without a rule', () => {
  const folders = readdirSync(fixturesFolder).filter((name) => name !== 'lint' && name !== 'tsc');
  expect(folders.toSorted()).toEqual(rules.toSorted());
});

describe('import-cycle', () => {
  it('prints each cycle once, from its first file back to that file', async () => {
    const rings = (await check('import-cycle', 'bad')).map(
      ({ message }) => /cycle: (.+?)\. Move/.exec(message)?.[1],
    );
    expect(rings).toEqual([
      'src/api/one.ts -> src/api/two.ts -> src/api/three.ts -> src/api/one.ts',
      'src/hosts/a.ts -> src/hosts/b.ts -> src/hosts/a.ts',
      'src/hosts/b.ts -> src/hosts/c.ts -> src/hosts/b.ts',
      'src/hosts/self.ts -> src/hosts/self.ts',
    ]);
  });
});

describe('import-wall', () => {
  it('prints what the folder may import', async () => {
    const reported = (await check('import-wall', 'bad')).map(({ message }) => message.split('. ', 1)[0]);
    expect(reported).toContain(
      'src/api/machine.ts imports src/hosts/state/pool.ts, and beside itself src/api may import nothing of ours',
    );
    expect(reported).toContain(
      'src/hosts/state/pool.ts imports src/kube/queue.ts, and beside itself src/hosts/state may import only src/api/, src/platform/, src/kube/client/kube-object.ts',
    );
  });
});

describe('generated', () => {
  it('distinguishes missing, differing and leftover files and names the command', async () => {
    const reported = (await check('generated', 'bad')).map(({ message }) => message.split('. ', 1)[0]);
    expect(reported).toEqual([
      'charts/crds/leftover.yaml is written by no generator',
      'docs/reference/cut.md differs from what the generator writes, first at line 2',
      'docs/reference/deep/leftover.md is written by no generator',
      'docs/reference/edited.md differs from what the generator writes, first at line 2',
      'docs/reference/longer.md differs from what the generator writes, first at line 2',
      'docs/reference/missing.md should be generated and is missing',
      'src/api/list.ts differs from what the generator writes, first at line 1',
    ]);
    expect(
      (await check('generated', 'bad')).filter(({ message }) => !message.includes('`npm run generate`')),
    ).toEqual([]);
  });
});
