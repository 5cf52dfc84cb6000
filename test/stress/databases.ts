/** A new database for one run: on npm's PostgreSQL, on Debian's, or on a given server. */
import { Client } from 'pg';
import { startNpmPostgres } from '../integration/database/npm-postgres.ts';
import { programsOf } from '../reference/programs.ts';
import { startPostgres, type Postgres } from '../reference/launch/postgres.ts';
import { Workplace } from '../reference/launch/workplace.ts';
import { makeReady } from '../reference/ready.ts';

interface Opened {
  readonly url: string;
  close(kept: 'keep-logs' | 'remove'): Promise<void>;
}

export async function openFor(where: string, progress: (line: string) => void): Promise<Opened> {
  if (where !== 'npm' && where !== 'debian') return openOn(where);
  const workplace = await Workplace.open('hammer');
  try {
    const server =
      where === 'npm' ? await startNpmPostgres(workplace) : await startDebian(workplace, progress);
    return { url: urlOf(server), close: async (kept) => workplace.close(kept) };
  } catch (error) {
    await workplace.close('keep-logs');
    throw error;
  }
}

async function startDebian(workplace: Workplace, progress: (line: string) => void): Promise<Postgres> {
  const [evaluate] = programsOf('postgres');
  if (evaluate === undefined) throw new Error('no reference program is called postgres');
  const { path } = await makeReady(evaluate, { env: process.env, progress });
  return startPostgres(workplace, path);
}

export function urlOf({ user, port }: Postgres): string {
  return `postgres://${user}@127.0.0.1:${port}/postgres`;
}

/** The given database is not touched: the run creates a separate database beside it. */
async function openOn(server: string): Promise<Opened> {
  const name = `muster_hammer_${process.pid}`;
  const run = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: server });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, close: async () => run(`drop database ${name} with (force)`) };
}
