import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { createAuthority } from '../../embedded/kubernetes-api/http/certificates.ts';
import type { Connection, ConnectionPorts } from './connection.ts';
import { inCluster, isInCluster } from './in-cluster.ts';
import { readKubeconfig } from './kubeconfig.ts';

const now = Date.UTC(2026, 0, 1);
const day = 24 * 60 * 60 * 1000;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function harness(files: Record<string, string>) {
  let time = now;
  const ports: ConnectionPorts = {
    readFile: (path) => {
      const text = files[path];
      return text === undefined ? Promise.reject(new Error('no such file')) : Promise.resolve(text);
    },
    runProgram: () => Promise.reject(new Error('no program expected')),
    now: () => time,
  };
  return { ports, files, pass: (ms: number) => void (time += ms) };
}

function config(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: { server: 'https://kube.example:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
  });
}

async function open(text: string, more: Record<string, string> = {}) {
  const set = harness({ '/home/kubeconfig': text, ...more });
  return { ...set, connection: await readKubeconfig({ file: '/home/kubeconfig' }, set.ports) };
}

async function tokenOf({ credentials }: Connection): Promise<string | undefined> {
  return (await credentials.current()).token?.reveal();
}

async function problem(text: string | undefined, context?: string): Promise<string> {
  const { ports } = harness(text === undefined ? {} : { '/home/kubeconfig': text });
  const error: unknown = await readKubeconfig({ file: '/home/kubeconfig', context }, ports).catch(
    (caught: unknown) => caught,
  );
  if (!(error instanceof FleetError)) throw new Error(`no failure: ${JSON.stringify(error)}`);
  expect([error.kind, error.reason]).toEqual(['rejected', 'BadKubeconfig']);
  return error.message;
}

async function papers(at: number) {
  const authority = await createAuthority({ clock: { now: () => at }, random: { next: () => 0.5 } });
  return authority.client('someone');
}

it('uses the token, and trusts the authority of the cluster', async () => {
  const { connection } = await open(config({ token: 'abc' }, { 'certificate-authority-data': base64('CA') }));
  expect(connection).toMatchObject({
    server: 'https://kube.example:6443',
    authority: 'CA',
    trustsAnybody: false,
  });
  expect(await tokenOf(connection)).toBe('abc');
});

it('relative paths start at the kubeconfig', async () => {
  const { certificate, key } = await papers(now);
  const text = config(
    { 'client-certificate': 'me.crt', 'client-key': 'keys/me.key' },
    { 'certificate-authority': '/ca.crt' },
  );
  const { connection } = await open(text, {
    '/home/me.crt': certificate,
    '/home/keys/me.key': key,
    '/ca.crt': 'CA',
  });
  expect(connection.authority).toBe('CA');
  const shown = (await connection.credentials.current()).certificate;
  expect([shown?.pem, shown?.key.reveal()]).toEqual([certificate, key]);
});

it('reads a token file again, because it is replaced', async () => {
  const { connection, files, pass } = await open(config({ tokenFile: 'token' }), { '/home/token': 'one\n' });
  expect(await tokenOf(connection)).toBe('one');
  files['/home/token'] = 'two\n';
  expect(await tokenOf(connection)).toBe('one');
  pass(60_000);
  expect(await tokenOf(connection)).toBe('two');
});

it('reads a refused token again at once', async () => {
  const { connection, files } = await open(config({ tokenFile: 'token' }), { '/home/token': 'one' });
  const shown = await connection.credentials.current();
  files['/home/token'] = 'two';
  connection.credentials.refused(shown);
  expect(await tokenOf(connection)).toBe('two');
});

it.for([
  ['is not there', undefined, 'cannot be read: no such file'],
  ['is not YAML', 'a: 1\nb: [', 'is not YAML: see line 2'],
  ['is empty', '', 'is invalid at its top'],
  ['has no current context', '{}', 'has no current-context; name a context'],
  [
    'has no such cluster',
    JSON.stringify({
      'current-context': 'm',
      contexts: [{ name: 'm', context: { cluster: 'c', user: 'u' } }],
    }),
    'has no cluster "c"',
  ],
  [
    'has a server that is no URL',
    config({}, { server: 'kube.example' }),
    'is invalid at clusters.0.cluster.server',
  ],
  [
    'has a certificate without a key',
    config({ 'client-certificate-data': base64('x') }),
    'a client certificate needs its key',
  ],
  [
    'has something else for a certificate',
    config({ 'client-certificate-data': base64('x'), 'client-key-data': base64('y') }),
    'is not a certificate in PEM form',
  ],
  [
    'has a server that is no web address',
    config({}, { server: 'ftp://kube.example' }),
    'is invalid at clusters.0.cluster.server',
  ],
  ['has a password', config({ username: 'me', password: 'canary' }), 'username, password: not supported'],
  ['has a password alone', config({ password: 'canary' }), 'password: not supported'],
  ['has an auth-provider', config({ 'auth-provider': { name: 'x' } }), 'auth-provider: not supported'],
  ['acts as another', config({ token: 'x', as: 'me', 'as-groups': ['g'] }), 'as, as-groups: not supported'],
  ['goes through a proxy', config({}, { 'proxy-url': 'http://proxy' }), 'proxy-url: not supported'],
  ['has an empty token', config({ token: '' }), 'a token is one line'],
  ['has a token of two lines', config({ token: 'canary\nX-Evil: 1' }), 'a token is one line'],
  [
    'has a password in its address',
    config({}, { server: 'https://me:canary@kube.example' }),
    'the address of the server may have',
  ],
  [
    'has a query in its address',
    config({}, { server: 'https://kube.example/?a=b' }),
    'the address of the server may have',
  ],
  [
    'names an authority that is not there',
    config({}, { 'certificate-authority': 'ca.crt' }),
    'the certificate-authority of the kubeconfig /home/kubeconfig, /home/ca.crt cannot be read: no such file',
  ],
  [
    'names a certificate that is not there',
    config({ 'client-certificate': 'me.crt', 'client-key-data': base64('y') }),
    'the client-certificate of the kubeconfig /home/kubeconfig, /home/me.crt cannot be read',
  ],
] as const)('a kubeconfig that %s is rejected with the reason', async ([, text, expected]) => {
  const reported = await problem(text);
  expect(reported).toContain(expected);
  expect(reported).not.toContain('canary');
});

it('a certificate together with a token file is not supported', async () => {
  const { certificate, key } = await papers(now);
  const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  expect(await problem(config({ ...user, tokenFile: 'token' }))).toContain('together are not supported');
});

it('errors in unused entries do not matter', async () => {
  const file: { clusters: object[]; users: object[] } = JSON.parse(config({ token: 'abc' }));
  file.clusters.push({ name: 'other', cluster: { server: 'https://me:pw@else.example', 'proxy-url': 'x' } });
  file.users.push({ name: 'other', user: { token: '', password: 'x', as: 'y' } });
  const { connection } = await open(JSON.stringify(file));
  expect(await tokenOf(connection)).toBe('abc');
});

it('the required server name comes from the file', async () => {
  const { connection } = await open(config({ token: 'x' }, { 'tls-server-name': 'kube.internal' }));
  expect(connection.serverName).toBe('kube.internal');
});

it.for([
  'users:\n- user:\n    token: "canary-7\n',
  'users: [ { token: canary-7',
  'token: *canary-7',
  '? canary-7\n  - [canary-7]: }',
])('no part of an unreadable file is quoted: %j', async (text) => {
  const { ports } = harness({ '/home/kubeconfig': text });
  const error: unknown = await readKubeconfig({ file: '/home/kubeconfig' }, ports).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(FleetError);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary');
});

it('credentials appear in no printed object', async () => {
  const { certificate, key } = await papers(now);
  const user = {
    'client-certificate-data': base64(certificate),
    'client-key-data': base64(key),
    token: 'canary-7',
  };
  const { connection } = await open(config(user));
  const shown = await connection.credentials.current();
  expect([shown.token?.reveal(), shown.certificate?.key.reveal()]).toEqual(['canary-7', key]);
  const printed = `${inspect([connection, shown], { depth: 9, showHidden: true })} ${JSON.stringify(shown)}`;
  for (const secret of ['canary', key.split('\n')[1] ?? '', 'PRIVATE KEY'])
    expect(printed).not.toContain(secret);
});

it('a missing context is named', async () => {
  expect(await problem(config({ token: 'x' }), 'other')).toContain('has no context "other"');
});

it('an expired client certificate is reported with its date', async () => {
  const { certificate, key } = await papers(now - 400 * day);
  const text = config({ 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) });
  expect(await problem(text)).toContain('the client certificate expired on 2025-');
});

it('inside a cluster the connection comes from the Pod', async () => {
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
  const { ports, files } = harness({ [`${folder}/ca.crt`]: 'CA', [`${folder}/token`]: 'mine' });
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
  expect([isInCluster(env), isInCluster({})]).toEqual([true, false]);
  const connection = await inCluster(env, ports);
  expect(connection).toMatchObject({ server: 'https://[fd00::1]:6443', authority: 'CA' });
  expect(await tokenOf(connection)).toBe('mine');
  delete files[`${folder}/ca.crt`];
  await expect(inCluster(env, ports)).rejects.toThrow('does the Pod mount the token of its ServiceAccount?');
});
