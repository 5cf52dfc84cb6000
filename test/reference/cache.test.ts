import { chmod, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cacheRoot, fillOnce, lookUp, type Place } from './cache.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'muster-cache-test-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const onWait = (): void => undefined;
const write = (dir: string): Promise<void> =>
  writeFile(join(dir, 'program'), 'whole program', { mode: 0o755 });
const place = (): Place & { onWait: () => void } => ({
  root,
  key: 'program-1.0',
  program: 'program',
  onWait,
});

it('an entry that was filled is good', async () => {
  const dir = await fillOnce(place(), write);
  expect(await lookUp(place())).toEqual({ state: 'good', dir });
});

it('an entry that was never filled is absent', async () => {
  expect(await lookUp(place())).toEqual({ state: 'absent' });
});

it('a truncated file is found by its size, a changed one by its checksum, a removed one by name', async () => {
  const dir = await fillOnce(place(), write);
  await writeFile(join(dir, 'program'), 'Whole program');
  expect(await lookUp(place())).toEqual({
    state: 'damaged',
    why: 'program has another checksum than when it was made',
  });
  await truncate(join(dir, 'program'), 5);
  expect(await lookUp(place())).toEqual({ state: 'damaged', why: 'program has 5 bytes instead of 13' });
  await rm(join(dir, 'program'));
  expect(await lookUp(place())).toEqual({ state: 'damaged', why: 'program is missing' });
  await writeFile(join(dir, 'manifest.json'), '{}');
  expect(await lookUp(place())).toEqual({ state: 'damaged', why: 'program is not in manifest.json' });
  await writeFile(join(dir, 'manifest.json'), '{');
  expect(await lookUp(place())).toEqual({ state: 'damaged', why: 'manifest.json is not readable' });
});

it('a program that may not be executed is damaged', async () => {
  const dir = await fillOnce(place(), write);
  await chmod(join(dir, 'program'), 0o644);
  expect(await lookUp(place())).toEqual({ state: 'damaged', why: 'program may not be executed' });
});

it('an entry does not exist under its name while it is being filled', async () => {
  const seen: string[] = [];
  await fillOnce(place(), async (dir) => {
    await write(dir);
    seen.push(...(await readdir(root)).filter((name) => !name.includes('.lock')));
  });
  expect(seen).toEqual(['.partial-program-1.0']);
});

it.for(['a file', 'a folder below a file'])(
  'a cache that is %s gives an error with a remedy',
  async (what) => {
    await writeFile(join(root, 'taken'), '');
    const bad = { ...place(), root: what === 'a file' ? join(root, 'taken') : join(root, 'taken', 'below') };
    await expect(fillOnce(bad, write)).rejects.toMatchObject({
      message: expect.stringContaining(`the cache ${bad.root} cannot be used`),
      next: 'free some space there, or set MUSTER_CACHE to a folder that you may write to',
    });
  },
);

it('a damaged entry is made anew', async () => {
  const dir = await fillOnce(place(), write);
  await truncate(join(dir, 'program'), 5);
  await fillOnce(place(), write);
  expect(await lookUp(place())).toEqual({ state: 'good', dir });
});

it('a fill that dies half-way leaves no entry, and the next one starts clean', async () => {
  const dying = fillOnce(place(), async (dir) => {
    await writeFile(join(dir, 'half'), 'half');
    throw new Error('interrupted');
  });
  await expect(dying).rejects.toThrow('interrupted');
  expect(await lookUp(place())).toEqual({ state: 'absent' });
  const dir = await fillOnce(place(), write);
  expect((await readdir(dir)).toSorted()).toEqual(['manifest.json', 'program']);
});

it('two fills of one key run in sequence, and only the first one works', async () => {
  const events: string[] = [];
  const first = Promise.withResolvers<void>();
  const waited = Promise.withResolvers<void>();
  const one = fillOnce(place(), async (dir) => {
    events.push('first fills');
    first.resolve();
    await waited.promise;
    await write(dir);
  });
  await first.promise;
  const two = fillOnce({ ...place(), onWait: () => waited.resolve() }, async () => {
    events.push('second fills');
  });
  expect(await one).toBe(await two);
  expect(events).toEqual(['first fills']);
});

it('the environment sets the location of the cache', () => {
  expect(cacheRoot({ MUSTER_CACHE: '/big/disk' })).toBe('/big/disk/real');
  expect(cacheRoot({ XDG_CACHE_HOME: '/x' })).toBe('/x/muster/real');
  expect(cacheRoot({ MUSTER_CACHE: 'here' })).toBe(join(process.cwd(), 'here', 'real'));
  expect(cacheRoot({ MUSTER_CACHE: '/big/disk', XDG_CACHE_HOME: '/x' })).toBe('/big/disk/real');
});
