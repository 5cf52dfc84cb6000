/** A complete dispatch replica whose database stops and returns. Its cluster is never reachable. */
import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { npmDatabase } from '../../test/integration/database/npm-database.ts';
import { Workplace } from '../../test/reference/launch/workplace.ts';
import { TcpProxy } from '../../lab/harness/tcp-proxy.ts';
import { anyRandom as random, wallClock } from '../../lab/harness/wall-clock.ts';
import type { StopSignal } from '../platform/process/run-process.ts';
import { startDispatch } from './start-dispatch.ts';

const database = npmDatabase('start-dispatch');
const patience = { timeout: 300_000, interval: 20 };
const readySchema = z.object({ failing: z.array(z.object({ name: z.string(), why: z.string() })) });
const files: Readonly<Record<string, string>> = {
  key: String(
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
  ),
  secret: 'shared with GitHub',
  kubeconfig: JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'c', user: { token: 'nobody' } }],
  }),
};

let workplace: Workplace;
let wire: TcpProxy;
let probePort: number;
let stop: (signal: StopSignal) => void = () => undefined;
let ended: Promise<void> | undefined;
/** The offset of the replica's clock from the clock of this machine. */
let aheadMs = 0;

beforeAll(async () => {
  workplace = await Workplace.open('start-dispatch-ports');
  [probePort = 0] = await workplace.ports(1);
  const url = new URL(database().url);
  wire = await TcpProxy.open(Number(url.port));
  url.port = String(wire.port);
  ended = startDispatch(
    {
      flags: {
        databaseUrl: [url.href],
        githubAppId: ['4711'],
        githubUrl: ['http://127.0.0.1:1'],
        githubAppKeyFile: ['key'],
        webhookSecretFile: ['secret'],
        kubeconfig: ['kubeconfig'],
        listen: ['127.0.0.1:0'],
        probeListen: [`127.0.0.1:${probePort}`],
        logLevel: ['fatal'],
      },
      env: {},
    },
    {
      clock: { now: () => wallClock.now() + aheadMs, after: (ms, then) => wallClock.after(ms, then) },
      random,
      env: {},
      readFile: async (path) => files[path] ?? expect.fail(`nothing is read of ${path}`),
      runProgram: async () => expect.fail('no program is run'),
      terminal: { out: () => undefined, err: () => undefined },
      stopped: new Promise(() => undefined),
      life: {
        onSignal: (reported) => void (stop = reported),
        onFault: () => undefined,
        exit: () => undefined,
      },
    },
  );
});

afterAll(async () => {
  stop('SIGTERM');
  await ended;
  await wire?.close();
  await workplace?.close();
});

/** The readiness message about the database; each call advances the replica's clock by a second. */
async function saidOfDatabase(): Promise<string> {
  aheadMs += 1000;
  const answer = await fetch(`http://127.0.0.1:${probePort}/readyz`).catch((error: unknown) => String(error));
  if (typeof answer === 'string') return answer;
  const { failing } = readySchema.parse(await answer.json());
  return failing.find(({ name }) => name === 'database')?.why ?? 'well';
}

it('names the lost database in /readyz, and recovers with it', async () => {
  await expect.poll(saidOfDatabase, patience).toBe('well');
  wire.isCut = true;
  await expect.poll(saidOfDatabase, patience).toMatch(/^the database has not answered for \d+ s/);
  wire.isCut = false;
  await expect.poll(saidOfDatabase, patience).toBe('well');
});

type Connections = 'muster' | 'muster-listen';
/** The connections of the replica, without the connection of this query. */
const those = (name: Connections) =>
  sql`from pg_stat_activity where application_name = ${name} and pid <> pg_backend_pid()`;

async function end(name: Connections): Promise<void> {
  await sql`select pg_terminate_backend(pid) ${those(name)}`.execute(database().db);
}

async function count(name: Connections): Promise<number> {
  return (await sql`select pid ${those(name)}`.execute(database().db)).rows.length;
}

/**
 * Allows or rejects new connections. PostgreSQL allows this for the connected database only through its own catalog
 * table.
 */
async function allowConnections(isAllowed: boolean): Promise<void> {
  await sql`update pg_database set datallowconn = ${isAllowed} where datname = current_database()`.execute(
    database().db,
  );
}

it('is not ready when only the LISTEN connection is left', async () => {
  await expect.poll(async () => count('muster-listen'), patience).toBe(1);
  await allowConnections(false);
  await end('muster');
  await expect.poll(saidOfDatabase, patience).toMatch(/^the database has not answered for \d+ s/);
  expect(await count('muster-listen')).toBe(1);
  await allowConnections(true);
  await expect.poll(saidOfDatabase, patience).toBe('well');
});

it('stays ready when only LISTEN fails', async () => {
  await expect.poll(async () => count('muster-listen'), patience).toBe(1);
  const until = aheadMs + 60_000;
  while (aheadMs < until) {
    await end('muster-listen');
    expect(await saidOfDatabase()).toBe('well');
  }
  await expect.poll(async () => count('muster-listen'), patience).toBe(1);
});
