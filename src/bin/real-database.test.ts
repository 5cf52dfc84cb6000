import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { afterEach, expect, it } from 'vitest';
import { wallClock as clock } from '../../lab/harness/wall-clock.ts';
import type { LocalDatabase } from '../cli/process-ports.ts';
import { startDatabase } from './real-database.ts';

const open: LocalDatabase[] = [];
afterEach(async () => {
  for (const database of open.splice(0)) await database.close();
});

async function started(): Promise<LocalDatabase> {
  const database = await startDatabase({ clock, machine: process });
  if (database === undefined) throw new Error('npm has installed no PostgreSQL');
  open.push(database);
  return database;
}

function folderOf(url: string): string {
  return new URL(url).searchParams.get('host') ?? '';
}

async function ask(url: string, question: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: question, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

it('listens on no network, and leaves neither a process nor a folder', async () => {
  const database = await started();
  const { url } = database;
  expect(await ask(url, 'show listen_addresses')).toEqual(['']);
  const [pid] = await ask(url, "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int");
  expect(existsSync(`/proc/${String(pid)}`)).toBe(true);
  await database.close();
  expect([existsSync(`/proc/${String(pid)}`), existsSync(folderOf(url))]).toEqual([false, false]);
});

it('ends also when the process that started it is killed', async () => {
  const program = `
    import { startDatabase } from ${JSON.stringify(new URL('./real-database.ts', import.meta.url).href)};
    import { realClock as clock } from ${JSON.stringify(new URL('./real-ports.ts', import.meta.url).href)};
    console.log((await startDatabase({ clock, machine: process })).url);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: unknown[] = await once(child.stdout.setEncoding('utf8'), 'data');
  const folder = folderOf(String(line).trim());
  expect(existsSync(folder)).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(folder), { timeout: 30_000 }).toBe(false);
});

it('is undefined for a machine without an npm package', async () => {
  expect(await startDatabase({ clock, machine: { platform: 'linux', arch: 'abacus' } })).toBeUndefined();
});
