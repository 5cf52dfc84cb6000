import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programNamed } from './programs.ts';
import { obstacle } from './obstacle.ts';
import { find, keyOf, look, type Workshop } from './ready.ts';
import { runCommand } from './run-command.ts';
import { modulesFolder } from './sources/go-build.ts';
import { runGo } from './sources/go-tool.ts';
import { writeProgram } from './write-program.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-ready-test-'));
  await cp(modulesFolder, join(folder, 'modules'), { recursive: true });
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const helm = programNamed('helm');
const goMissing = (await runCommand('go', ['version']).catch(() => ({ status: 1 }))).status !== 0;

function workshop(env: Workshop['env'] = {}): Workshop {
  const base = { PATH: process.env['PATH'], HOME: process.env['HOME'], MUSTER_CACHE: join(folder, 'cache') };
  return { env: { ...base, ...env }, progress: () => undefined, modules: join(folder, 'modules') };
}

it('without Go, cache, mirror or assets the error names every remedy', async () => {
  expect(await obstacle(helm, workshop({ PATH: '/nowhere' }))).toEqual({
    message: 'helm is not in the cache, and Go is not installed to build it',
    next: 'install Go 1.26 or newer, or set KUBEBUILDER_ASSETS or MUSTER_REAL_MIRROR (see test/reference/README.md), or MUSTER_REAL=off',
  });
});

it('a missing go.sum is named, with the command that restores it', async () => {
  await rm(join(folder, 'modules', 'helm', 'go.sum'));
  expect(await look(helm, workshop())).toEqual({
    program: helm,
    why: 'test/reference/modules/helm/go.sum is missing',
    next: 'restore it with: git checkout -- test/reference/modules/helm/go.sum',
  });
});

it('the name of a cache entry depends on every input of its build', async () => {
  const { recipe } = helm;
  if (recipe.kind !== 'go') throw new Error('helm is built with Go');
  const modules = join(folder, 'modules');
  const names = [await keyOf(helm, recipe, modules), await keyOf(helm, { ...recipe, flags: [] }, modules)];
  for (const file of ['go.mod', 'go.sum']) {
    await appendFile(join(modules, 'helm', file), '\n');
    names.push(await keyOf(helm, recipe, modules));
  }
  expect(new Set(names).size).toBe(4);
});

describe.skipIf(goMissing)('with Go', () => {
  const restore =
    'restore it with: git checkout -- test/reference/modules/helm/go.mod test/reference/modules/helm/go.sum';

  it('the GOFLAGS of the caller do not change the build', async () => {
    if (helm.recipe.kind !== 'go') throw new Error('helm is built with Go');
    const job = { program: helm, recipe: helm.recipe, env: { ...process.env, GOFLAGS: '-mod=vendor' } };
    expect(await runGo(job, ['env', 'GOFLAGS'], { cwd: folder })).toBe('-mod=readonly\n');
  });

  it('a malformed go.sum is named, with the command that restores it', async () => {
    await writeFile(join(folder, 'modules', 'helm', 'go.sum'), 'this is not a checksum line at all\n');
    const { message, next } = await obstacle(helm, workshop());
    expect(message).toContain('test/reference/modules/helm/go.sum does not match the sources of helm');
    expect(message).toContain('malformed go.sum');
    expect(next).toBe(restore);
  });

  it('an emptied go.sum is refused rather than filled in again', async () => {
    const file = join(folder, 'modules', 'helm', 'go.sum');
    await writeFile(file, '');
    const { message, next } = await obstacle(helm, workshop());
    expect(message).toContain('missing go.sum entry');
    expect(next).toBe(restore);
    expect(await readFile(file, 'utf8')).toBe('');
  });
});

it('KUBEBUILDER_ASSETS comes first, and only for the programs in it', async () => {
  const assets = join(folder, 'assets');
  await writeProgram(join(assets, 'etcd'), '9.9.9');
  const from = workshop({ KUBEBUILDER_ASSETS: assets });
  const etcd = programNamed('etcd');
  expect(await find(etcd, from)).toEqual({
    program: etcd,
    path: join(assets, 'etcd'),
    source: 'KUBEBUILDER_ASSETS',
    version: '9.9.9',
  });
  const scheduler = programNamed('kube-scheduler');
  expect(await find(scheduler, from)).toEqual({
    program: scheduler,
    why: 'not built yet',
    next: 'run: npm run references -- kube',
  });
});

it('KUBEBUILDER_ASSETS that names no folder is an error, not a reason to build', async () => {
  const { message } = await obstacle(
    programNamed('etcd'),
    workshop({ KUBEBUILDER_ASSETS: join(folder, 'nothing') }),
  );
  expect(message).toContain('which is not a folder');
});

it('a Debian program below the oldest accepted version does not count as found', async () => {
  await writeProgram(join(folder, 'bin', 'zsh'), '5.0.2');
  const looked = await find(programNamed('zsh'), workshop({ PATH: join(folder, 'bin') }));
  expect(looked).toMatchObject({
    why: `${join(folder, 'bin', 'zsh')} is version 5.0.2; 5.8 or newer is needed`,
  });
});
