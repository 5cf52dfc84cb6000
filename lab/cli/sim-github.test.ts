import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { wallClock } from '../harness/wall-clock.ts';
import { OctokitGitHub } from '../../src/dispatch/github/octokit-github.ts';
import { isSigned } from '../../src/dispatch/webhooks/signature.ts';
import { Secret } from '../../src/platform/secret.ts';
import { controlHeaders } from '../clouds/http/control-guard.ts';
import { runProgram } from '../../src/cli/program.ts';
import { labCommands } from './commands.ts';

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const folder = mkdtempSync(join(tmpdir(), 'muster-sim-github-'));
const files = {
  privateKey: join(folder, 'private.pem'),
  publicKey: join(folder, 'public.pem'),
  secret: join(folder, 'secret'),
  token: join(folder, 'token'),
  empty: join(folder, 'empty'),
};
const headers = controlHeaders(new Secret('of-the-control'));
const labels = ['fleet-mac'];

let receiver: Server;
let hookUrl = '';
/** Webhooks that arrived and were not read yet. */
let inbox: string[] = [];
let wake: () => void = () => undefined;
let stop: () => Promise<unknown> = async () => undefined;

beforeAll(async () => {
  writeFileSync(files.privateKey, keys.privateKey);
  writeFileSync(files.publicKey, keys.publicKey);
  writeFileSync(files.secret, 'hush\n');
  writeFileSync(files.token, 'of-the-control\n');
  writeFileSync(files.empty, '\n');
  receiver = createServer((message, response) => {
    void receive(message).then((status) => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  hookUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/webhooks/github`;
});
afterEach(async () => {
  await stop();
  inbox = [];
});
afterAll(() => {
  receiver.close();
  receiver.closeAllConnections();
  rmSync(folder, { recursive: true });
});

async function receive(message: IncomingMessage): Promise<number> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(Buffer.from(piece));
  const body = Buffer.concat(pieces);
  const header = (name: string): string => String(message.headers[name]);
  if (!isSigned(body, header('x-hub-signature-256'), [new Secret('hush')])) return 401;
  const { action } = z.object({ action: z.string() }).parse(JSON.parse(body.toString()));
  inbox.push(`${header('x-github-event')} ${action}`);
  wake();
  return 200;
}

async function nextHook(): Promise<string | undefined> {
  while (inbox.length === 0)
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  return inbox.shift();
}

/** An option in `more` replaces the default option. */
function argsWith(keyFile: string, more: readonly string[] = []): readonly string[] {
  const usual = Object.entries({
    '--app-id': '4711',
    '--app-key-file': keyFile,
    '--webhook-url': hookUrl,
    '--webhook-secret-file': files.secret,
  });
  return ['sim', 'github', ...usual.filter(([option]) => !more.includes(option)).flat(), ...more];
}

async function start(keyFile: string): Promise<string> {
  const printed = Promise.withResolvers<string>();
  const stopped = Promise.withResolvers<void>();
  const ended = runProgram(argsWith(keyFile, ['--json', '--control-token-file', files.token]), '1.2.3', {
    labCommands: labCommands(),
    terminal: { out: printed.resolve, err: (text) => printed.reject(new Error(text)) },
    clock: wallClock,
    random: { next: () => 0.5 },
    stopped: stopped.promise,
  });
  stop = () => {
    stopped.resolve();
    return ended;
  };
  return z.object({ url: z.string() }).parse(JSON.parse(await printed.promise)).url;
}

async function refusal(args: readonly string[]): Promise<{ status: number; err: string }> {
  let err = '';
  const status = await runProgram([...args], '1.2.3', {
    labCommands: labCommands(),
    terminal: { out: () => undefined, err: (text) => void (err += text) },
    clock: wallClock,
    random: { next: () => 0.5 },
    stopped: Promise.resolve(),
  });
  return { status, err };
}

async function post(url: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const reported = z.record(z.string(), z.unknown()).parse(await answer.json());
  return { ...reported, status: answer.status };
}

function clientOf(url: string, privateKey: string = keys.privateKey): OctokitGitHub {
  const app = { appId: '4711', privateKey: new Secret(privateKey) };
  return new OctokitGitHub({ app, clock: wallClock, baseUrl: url, userAgent: 'muster/test' });
}

it.for(['privateKey', 'publicKey'] as const)(
  'with the %s of the App: queues a job, registers and runs a runner, and sends webhooks',
  async (key) => {
    const url = await start(files[key]);
    const atOnce = { least: 0, most: 0 };
    await post(`${url}/_control/timing`, { deliveryMs: atOnce, placementMs: atOnce });
    const opened = await post(`${url}/_control/account`, { login: 'octo-org', repositories: ['app'] });
    expect(await nextHook()).toBe('installation created');
    const tenant = { installationId: String(opened['installation']), repository: 'octo-org/app' };
    const { jobs } = await post(`${url}/_control/job`, { repository: tenant.repository, labels });
    expect(await nextHook()).toBe('workflow_job queued');
    const order = { ...tenant, name: 'mac-1', labels, workFolder: '_work' };
    const { jitConfig } = await clientOf(url).register(order);
    const run = { jitConfig: jitConfig.reveal(), comesAfterMs: 0, jobMs: 50 };
    expect(await post(`${url}/_control/runner`, run)).toMatchObject({ name: 'mac-1', status: 200 });
    const rest = new Set([await nextHook(), await nextHook()]);
    expect(rest).toEqual(new Set(['workflow_job completed', 'workflow_job in_progress']));
    const [id = ''] = z.array(z.string()).parse(jobs);
    expect(await clientOf(url).job(tenant, id)).toMatchObject({ conclusion: 'success', runnerName: 'mac-1' });
  },
);

it('refuses a caller with another key', async () => {
  const url = await start(files.publicKey);
  const { installation } = await post(`${url}/_control/account`, { login: 'a', repositories: ['b'] });
  const other = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const call = clientOf(url, other.privateKey).installation(String(installation));
  await expect(call).rejects.toMatchObject({ kind: 'unavailable', reason: 'Unauthenticated' });
  expect((await fetch(`${url}/installation/repositories`)).status).toBe(401);
});

it('obeys its control endpoint, and explains refused orders', async () => {
  const url = await start(files.publicKey);
  await post(`${url}/_control/account`, { login: 'octo-org', repositories: ['app'] });
  const fault = { on: 'get installation', fault: { kind: 'error', status: 503 } };
  expect(await post(`${url}/_control/fault`, fault)).toEqual({ status: 200 });
  await expect(clientOf(url).installation('1')).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(clientOf(url).installation('1')).rejects.toMatchObject({ kind: 'gone' });
  const { jobs } = await post(`${url}/_control/job`, { repository: 'octo-org/app', labels, count: 2 });
  const [job] = z.array(z.string()).parse(jobs);
  expect(await post(`${url}/_control/job/cancel`, { job })).toEqual({ status: 200 });
  const { job: again } = await post(`${url}/_control/job/rerun`, { job });
  const listed = await (await fetch(`${url}/_control/jobs`, { headers })).json();
  expect(listed).toMatchObject({
    jobs: [{ id: job, conclusion: 'cancelled' }, { status: 'queued' }, { id: again, runAttempt: 2 }],
  });
  expect(await post(`${url}/_control/job`, { repository: 'octo-org/none', labels })).toEqual({
    status: 400,
    message: 'there is no repository octo-org/none',
  });
  expect(await post(`${url}/_control/nonsense`, {})).toMatchObject({ status: 404 });
});

it.for([
  ['--app-id', '0'],
  ['--webhook-url', 'example.com'],
  ['--listen', '0.0.0.0:1'],
])('%j is refused with 64', async (args) => {
  const { status, err } = await refusal(argsWith(files.publicKey, args));
  expect([status, err]).toEqual([64, expect.stringContaining('error: option')]);
});

it.for([
  ['--app-key-file', files.secret, 'holds no key in PEM'],
  ['--app-key-file', join(folder, 'none'), 'cannot be read (ENOENT)'],
  ['--webhook-secret-file', files.empty, 'is empty'],
] as const)('%s %s: it %s', async ([option, file, why]) => {
  const { status, err } = await refusal(argsWith(files.publicKey, [option, file]));
  expect([status, err]).toEqual([1, `error: ${file} ${why}\n`]);
});
