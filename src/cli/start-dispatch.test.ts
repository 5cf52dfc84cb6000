/** A replica of dispatch as it is put together, whose database goes away and comes back. Its cluster is never there. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { npmDatabase } from '../../test/database/npm-database.ts';
import { Workplace } from '../../test/real/launch/workplace.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { anyRandom as random, wallClock } from '../../test/wall-clock.ts';
import type { StopSignal } from '../runtime/process/run-process.ts';
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
/** How far the clock of the replica is ahead of that of this machine. */
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
        onSignal: (told) => void (stop = told),
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

/** What it says of its database, each time a second later by its own clock. */
async function saidOfDatabase(): Promise<string> {
  aheadMs += 1000;
  const answer = await fetch(`http://127.0.0.1:${probePort}/readyz`).catch((error: unknown) => String(error));
  if (typeof answer === 'string') return answer;
  const { failing } = readySchema.parse(await answer.json());
  return failing.find(({ name }) => name === 'database')?.why ?? 'well';
}

it('a replica that has lost its database says in /readyz that this is why, and is as before once it is back', async () => {
  await expect.poll(saidOfDatabase, patience).toBe('well');
  wire.isCut = true;
  await expect.poll(saidOfDatabase, patience).toMatch(/^the database was last heard \d+ s ago/);
  wire.isCut = false;
  await expect.poll(saidOfDatabase, patience).toBe('well');
});
