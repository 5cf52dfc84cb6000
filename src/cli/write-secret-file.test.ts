import { chmod, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writePrivately } from './write-secret-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-privately-'));
  file = join(folder, 'k');
});
afterEach(() => rm(folder, { recursive: true }));

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

it('writes a file that only its owner may read, also over a readable file', async () => {
  await writeFile(file, 'old', { mode: 0o644 });
  await writePrivately(file, 'key');
  expect({ text: await readFile(file, 'utf8'), mode: await modeOf(file) }).toEqual({
    text: 'key\n',
    mode: 0o600,
  });
  expect(await readdir(folder)).toEqual(['k']);
});

it('ignores the mode and the content of an existing partial file', async () => {
  await writeFile(`${file}.partial`, 'old');
  await chmod(`${file}.partial`, 0o666);
  await writePrivately(file, 'key');
  expect(await modeOf(file)).toBe(0o600);
  expect(await readFile(`${file}.partial`, 'utf8')).toBe('old');
});

it('does not write through an existing link', async () => {
  const other = join(folder, 'other');
  await writeFile(other, 'kept');
  await symlink(other, `${file}.partial`);
  await symlink(other, file);
  await writePrivately(file, 'key');
  expect([await readFile(other, 'utf8'), await readFile(file, 'utf8')]).toEqual(['kept', 'key\n']);
});

it('leaves nothing behind when the file cannot be replaced', async () => {
  const blocked = join(folder, 'folder');
  await writePrivately(join(blocked, 'inside'), 'key');
  await expect(writePrivately(blocked, 'key')).rejects.toThrow('cannot be written');
  expect(await readdir(folder)).toEqual(['folder']);
});
