import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { anyRandom, wallClock } from '../../lab/harness/wall-clock.ts';
import { runProgram } from './program.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-cli-test-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function apiserver(...args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const ports = {
    terminal: { out: (text: string) => void (out += text), err: (text: string) => void (err += text) },
    clock: wallClock,
    random: anyRandom,
    stopped: Promise.resolve(),
  };
  const status = await runProgram(['apiserver', ...args], '1.2.3', ports);
  return { status, out, err };
}

it('serves, writes a kubeconfig that only its owner can read, and ends at a signal', async () => {
  const file = join(folder, 'kubeconfig');
  const { status, out, err } = await apiserver('--listen', '127.0.0.1:0', '--write-kubeconfig', file);
  expect([status, err]).toEqual([0, '']);
  expect(out).toContain(`kubectl --kubeconfig ${file}`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const url = /at (https:\/\/127\.0\.0\.1:\d+),/.exec(out)?.[1];
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    clusters: [{ cluster: { server: url } }],
  });
});

it.for(['nowhere', '127.0.0.1', '127.0.0.1:99999', '0.0.0.0:6443', '192.0.2.1:6443', ':6443'])(
  '--listen %s is refused with 64',
  async (address) => {
    const { status, err } = await apiserver('--listen', address);
    expect(status).toBe(64);
    expect(err).toContain("option '--listen <address>' argument");
  },
);

it('reports a port in use in one line, with what to do', async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { status, err } = await apiserver('--listen', `127.0.0.1:${port}`);
  holder.close();
  expect([status, err]).toEqual([
    1,
    `error: 127.0.0.1:${port} is already taken; choose another port with --listen\n`,
  ]);
});

it('reports a kubeconfig that cannot be written in one line', async () => {
  const file = join('/dev/null', 'no', 'such', 'folder');
  const { status, err } = await apiserver('--listen', '127.0.0.1:0', '--write-kubeconfig', file);
  expect(status).toBe(1);
  expect(err).toMatch(/^error: .* cannot be written: .*is a file, not a folder\n$/);
});

it.for([
  ['', 64, "error: option '--data <folder>' argument '' is invalid. It needs the name of a folder."],
  ['/dev/null', 1, '/dev/null is a file, not a folder'],
  ['/dev/null/below', 1, '/dev/null is a file, not a folder'],
  ['/proc/no/one/can/make/this', 1, 'ENOENT'],
] as const)('--data %j ends with %i and says why', async ([data, status, why]) => {
  const said = await apiserver('--listen', '127.0.0.1:0', '--data', data);
  expect(said.status).toBe(status);
  expect(said.err).toContain(why);
});

it.for(['nonsense', '{}', '{"authority":{"certificate":"x","key":"y"},"tokenSecret":"eA=="}'])(
  'reports keys damaged to %j in one line, with what to do, and serves nothing',
  async (text) => {
    const data = join(folder, 'data');
    expect((await apiserver('--listen', '127.0.0.1:0', '--data', data)).status).toBe(0);
    await writeFile(join(data, 'keys.json'), text);
    const { status, out, err } = await apiserver('--listen', '127.0.0.1:0', '--data', data);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^error: the keys in .*keys\.json cannot be read; restore the file from a copy, or remove the file.*\n$/,
    );
  },
);

it('keeps the keys in the data folder, readable for the owner only, and uses them again', async () => {
  const data = join(folder, 'data');
  const authorities = [];
  for (const name of ['first', 'second']) {
    const file = join(folder, name);
    await apiserver('--listen', '127.0.0.1:0', '--data', data, '--write-kubeconfig', file);
    authorities.push(/"certificate-authority-data":"([^"]+)"/.exec(await readFile(file, 'utf8'))?.[1]);
  }
  expect(authorities[0]).toBe(authorities[1]);
  expect((await stat(join(data, 'keys.json'))).mode & 0o777).toBe(0o600);
});

it('warns with --faults that faults are on', async () => {
  const file = join(folder, 'plan.json');
  await writeFile(file, '{"rules":[{"fault":{"kind":"reply-lost"}}]}');
  const { status, err } = await apiserver('--listen', '127.0.0.1:0', '--faults', file);
  expect([status, err]).toEqual([
    0,
    `warning: faults are on: 1 rules and 0 situations from ${file}; requests of clients will fail\n`,
  ]);
});

it.for([
  ['{"rules":[{"fault":{"kind":"late","ms":"long"}}]}', 'rules[0].fault.ms: Invalid input'],
  ['nonsense', 'it is not JSON'],
] as const)('--faults with %s is refused before anything starts', async ([text, why]) => {
  const [plan, kubeconfig] = [join(folder, 'plan.json'), join(folder, 'kubeconfig')];
  await writeFile(plan, text);
  const said = await apiserver('--listen', '127.0.0.1:0', '--write-kubeconfig', kubeconfig, '--faults', plan);
  expect([said.status, said.out, existsSync(kubeconfig)]).toEqual([1, '', false]);
  expect(said.err).toContain(`error: the faults in ${plan} cannot be used: ${why}`);
});

it('reports a missing file of faults in one line', async () => {
  const said = await apiserver('--listen', '127.0.0.1:0', '--faults', join(folder, 'none.json'));
  expect(said.status).toBe(1);
  expect(said.err).toMatch(/^error: the faults in .*none\.json cannot be used: ENOENT.*\n$/);
});

it('shows the default address in the help as an operator types it', async () => {
  expect((await apiserver('--help')).out).toContain('(default: 127.0.0.1:6443)');
});
