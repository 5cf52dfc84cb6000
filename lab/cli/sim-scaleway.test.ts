import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { wallClock } from '../harness/wall-clock.ts';
import { readCredentials } from '../../src/hosts/provider/scaleway/credentials.ts';
import { openScaleway } from '../../src/hosts/provider/scaleway/open.ts';
import { Secret } from '../../src/platform/secret.ts';
import { controlHeaders } from '../clouds/http/control-guard.ts';
import { runProgram } from '../../src/cli/program.ts';
import { labCommands } from './commands.ts';

const started = z.object({
  url: z.string(),
  environment: z.record(z.string(), z.string()),
  controlToken: z.string(),
});

let stop: () => Promise<unknown> = async () => undefined;
afterEach(() => stop());

/** Returns the output after the start. */
async function start(...args: readonly string[]): Promise<z.infer<typeof started>> {
  const printed = Promise.withResolvers<string>();
  const stopped = Promise.withResolvers<void>();
  const ended = runProgram(['sim', 'scaleway', '--json', ...args], '1.2.3', {
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
  return started.parse(JSON.parse(await printed.promise));
}

async function refusal(...args: readonly string[]): Promise<{ status: number; err: string }> {
  let err = '';
  const status = await runProgram(['sim', 'scaleway', ...args], '1.2.3', {
    labCommands: labCommands(),
    terminal: { out: () => undefined, err: (text) => void (err += text) },
    clock: wallClock,
    random: { next: () => 0.5 },
    stopped: Promise.resolve(),
  });
  return { status, err };
}

async function post(url: string, token: string, body: object): Promise<number> {
  const headers = controlHeaders(new Secret(token));
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.status;
}

async function fleetOf(...args: readonly string[]): Promise<readonly string[]> {
  const { environment: env } = await start(...args);
  const credentials = await readCredentials({ env, readFile: async () => undefined });
  const provider = openScaleway({ credentials, clock: wallClock, userAgent: 'muster/test' });
  const servers = await Promise.all(['fr-par-1', 'fr-par-3'].map((zone) => provider.listServers(zone)));
  await stop();
  return servers.flat().map(({ id, name, type, ip }) => `${id} ${name} ${type} ${ip}`);
}

it('serves a fleet that depends on the seed alone, to a client with the printed credentials', async () => {
  const fleet = await fleetOf('--seed', '7', '--hosts', '5');
  expect(fleet).toHaveLength(5);
  expect(await fleetOf('--seed', '7', '--hosts', '5')).toEqual(fleet);
  expect(await fleetOf('--seed', '8', '--hosts', '5')).not.toEqual(fleet);
});

it('refuses a client without a key', async () => {
  const { url, environment } = await start();
  const env = { ...environment, SCW_SECRET_KEY: '00000000-0000-4000-8000-000000000000' };
  const credentials = await readCredentials({ env, readFile: async () => undefined });
  const provider = openScaleway({ credentials, clock: wallClock, userAgent: 'muster/test' });
  await expect(provider.listServers('fr-par-1')).rejects.toMatchObject({ reason: 'Unauthenticated' });
  expect((await fetch(`${url}/apple-silicon/v1alpha1/zones/fr-par-1/servers`)).status).toBe(401);
});

it('obeys its control endpoint, and advances time', async () => {
  const { url, environment: env, controlToken } = await start('--zones', 'fr-par-1', '--hosts', '1');
  const credentials = await readCredentials({ env, readFile: async () => undefined });
  const provider = openScaleway({ credentials, clock: wallClock, userAgent: 'muster/test' });
  const [server] = await provider.listServers('fr-par-1');
  const address = { zone: 'fr-par-1', id: server?.id ?? '' };
  expect(
    await post(`${url}/control/act`, controlToken, { act: 'rename', server: address.id, name: 'by-hand' }),
  ).toBe(200);
  expect((await provider.getServer(address)).name).toBe('by-hand');
  expect(
    await post(`${url}/control/fault`, controlToken, { on: 'reboot server', fault: { kind: 'reply-lost' } }),
  ).toBe(200);
  await expect(provider.reboot(address)).rejects.toMatchObject({ reason: 'OutcomeUnknown' });
  expect(await post(`${url}/control/pass`, controlToken, { ms: 10_000 })).toBe(200);
  expect((await provider.getServer(address)).status).toBe('rebooting');
  expect(await post(`${url}/control/pass`, controlToken, { ms: 600_000 })).toBe(200);
  expect((await provider.getServer(address)).status).toBe('ready');
  expect(await post(`${url}/control/act`, controlToken, { act: 'nonsense' })).toBe(400);
  expect(await post(`${url}/control/nonsense`, controlToken, {})).toBe(404);
});

it.for([
  ['--hosts', '0'],
  ['--time-scale', '0'],
  ['--time-scale', '1e3'],
  ['--zones', 'fr-par-1,,fr-par-3'],
  ['--zones', 'fr-par-1,fr-par-1'],
  ['--listen', '0.0.0.0:1'],
])('%j is refused with 64', async (args) => {
  const { status, err } = await refusal(...args);
  expect([status, err]).toEqual([64, expect.stringContaining('error: option')]);
});

it('reports a port in use in one line, with a remedy', async () => {
  const { url } = await start();
  const { host } = new URL(url);
  expect(await refusal('--listen', host)).toEqual({
    status: 1,
    err: `error: ${host} is already taken; choose another port with --listen\n`,
  });
});

it('prints another token at each start, unless a file holds one', async () => {
  const { controlToken: first } = await start();
  await stop();
  const folder = mkdtempSync(join(tmpdir(), 'muster-sim-scaleway-'));
  const file = join(folder, 'token');
  writeFileSync(file, 'of-a-person\n');
  const { url, controlToken } = await start('--control-token-file', file);
  expect(controlToken).toBe('of-a-person');
  expect(await post(`${url}/control/pass`, first, { ms: 1 })).toBe(401);
  expect(await post(`${url}/control/pass`, controlToken, { ms: 1 })).toBe(200);
  writeFileSync(file, 'a b');
  expect(await refusal('--control-token-file', file)).toMatchObject({
    status: 1,
    err: expect.stringContaining('must hold one token'),
  });
  rmSync(folder, { recursive: true });
});
