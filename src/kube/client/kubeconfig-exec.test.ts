import { expect, it } from 'vitest';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { ConnectionPorts, Program } from './connection.ts';
import { readKubeconfig } from './kubeconfig.ts';

const version = 'client.authentication.k8s.io/v1';

function harness(exec: object, cluster: object = {}) {
  const programs: Program[] = [];
  const text = JSON.stringify({
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: { server: 'https://kube.example:6443', ...cluster } }],
    users: [{ name: 'u', user: { exec: { apiVersion: version, command: 'mint', ...exec } } }],
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
  });
  const ports: ConnectionPorts = {
    readFile: () => Promise.resolve(text),
    runProgram: (program) => {
      programs.push(program);
      const { apiVersion }: { apiVersion: string } = JSON.parse(program.env['KUBERNETES_EXEC_INFO'] ?? '');
      return Promise.resolve(
        JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token: 'minted' } }),
      );
    },
    now: () => 0,
  };
  return { programs, connect: () => readKubeconfig({ file: '/home/me/kubeconfig' }, ports) };
}

async function run(exec: object, cluster: object = {}): Promise<Program> {
  const { programs, connect } = harness(exec, cluster);
  const { credentials } = await connect();
  expect((await credentials.current()).token?.reveal()).toBe('minted');
  const [program] = programs;
  if (program === undefined || programs.length > 1) throw new Error(`${programs.length} programs ran`);
  return program;
}

function infoOf({ env }: Program): unknown {
  return JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? '');
}

it('runs a program as the file says, without a terminal', async () => {
  const program = await run({
    args: ['--for', 'kube'],
    env: [
      { name: 'A', value: 'b' },
      { name: 'KUBERNETES_EXEC_INFO', value: 'forged' },
    ],
  });
  expect(program).toMatchObject({ command: 'mint', args: ['--for', 'kube'], env: { A: 'b' } });
  expect(infoOf(program)).toEqual({
    apiVersion: version,
    kind: 'ExecCredential',
    spec: { interactive: false },
  });
});

it.for([
  ['mint', 'mint'],
  ['./bin/mint', '/home/me/bin/mint'],
  ['../mint', '/home/mint'],
  ['/opt/mint', '/opt/mint'],
] as const)('the command %s is run as %s', async ([command, expected]) => {
  expect((await run({ command })).command).toBe(expected);
});

it('passes the cluster to a program on request', async () => {
  const authority = Buffer.from('CA').toString('base64');
  const cluster = {
    'certificate-authority-data': authority,
    'tls-server-name': 'kube.internal',
    extensions: [
      { name: 'other', extension: { a: 1 } },
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } },
    ],
  };
  expect(infoOf(await run({ provideClusterInfo: true }, cluster))).toMatchObject({
    spec: {
      interactive: false,
      cluster: {
        server: 'https://kube.example:6443',
        'tls-server-name': 'kube.internal',
        'certificate-authority-data': authority,
        config: { audience: 'x' },
      },
    },
  });
});

it.for(['Never', 'IfAvailable', null])('interactiveMode %s needs no terminal', async (interactiveMode) => {
  expect(infoOf(await run({ interactiveMode }))).toMatchObject({ spec: { interactive: false } });
});

it('uses the older version if the file requires it', async () => {
  const apiVersion = 'client.authentication.k8s.io/v1beta1';
  expect(infoOf(await run({ apiVersion }))).toMatchObject({ apiVersion });
});

it.for([
  [{ interactiveMode: 'Always' }, 'mint needs a terminal'],
  [{ apiVersion: 'client.authentication.k8s.io/v1alpha1' }, 'only v1 and v1beta1'],
  [{ apiVersion: 'nonsense' }, 'only v1 and v1beta1'],
] as const)('%j is rejected before any program runs', async ([exec, expected]) => {
  const { programs, connect } = harness(exec);
  const error: unknown = await connect().catch((caught: unknown) => caught);
  if (!(error instanceof FleetError)) throw new Error('not rejected');
  expect([error.kind, error.reason, programs]).toEqual(['rejected', 'BadKubeconfig', []]);
  expect(error.message).toContain(expected);
});
