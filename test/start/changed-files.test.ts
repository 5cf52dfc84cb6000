import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changedFiles, commitId, gitIn } from '../../scripts/changed-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-changed-test-'));
  git('init', '-q', '-b', 'main', '.');
  git('config', 'user.name', 'test');
  git('config', 'user.email', 'test@example.com');
  commit('first');
  commit('second');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function git(...args: readonly string[]): void {
  execFileSync('git', [...args], { cwd: folder, stdio: 'pipe' });
}

function write(name: string): void {
  writeFileSync(join(folder, name), name);
}

function commit(name: string): void {
  write(name);
  git('add', '.');
  git('commit', '-q', '-m', name);
}

it('on a branch, names what was committed since main and what is not committed', () => {
  git('checkout', '-q', '-b', 'work');
  commit('third');
  git('rm', '-q', 'first');
  git('mv', 'second', 'moved');
  write('new file');
  expect(changedFiles(gitIn(folder))).toEqual(['first', 'moved', 'new file', 'second', 'third']);
});

it('on main, names the files of the last commit', () => {
  expect(changedFiles(gitIn(folder))).toEqual(['second']);
});

it('on main with an uncommitted change, names that change alone', () => {
  write('first');
  writeFileSync(join(folder, 'first'), 'other');
  expect(changedFiles(gitIn(folder))).toEqual(['first']);
});

it('in a shallow clone, names only what is not committed', () => {
  const clone = join(folder, 'clone');
  git('clone', '-q', '--depth', '1', `file://${folder}`, clone);
  execFileSync('git', ['checkout', '-q', '--detach'], { cwd: clone });
  writeFileSync(join(clone, 'new'), '');
  expect(changedFiles(gitIn(clone))).toEqual(['new']);
  expect(commitId(gitIn(clone))).toMatch(/^[0-9a-f]{40}$/);
});

it('outside of a repository, names nothing', () => {
  rmSync(join(folder, '.git'), { recursive: true });
  expect(changedFiles(gitIn(folder))).toEqual([]);
  expect(commitId(gitIn(folder))).toBe('');
});
