/**
 * The rights of an agent as the chart installs them, on a real kube-apiserver: an agent works on its own Node, and is
 * refused on other Nodes, on Pods of other Nodes, and for their tokens.
 */
import { expect, it } from 'vitest';
import { startKubeFrom } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import type { Kube } from '../reference/launch/kube.ts';
import { chartFolder, helmAlone } from './rendered.ts';

const namespace = 'ci-muster-nodes';
const patience = { timeout: 120_000, interval: 200 };

function nodeNamed(name: string): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}

function podOn(nodeName: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `on-${nodeName}`, namespace: 'default' },
    spec: { nodeName, serviceAccountName: 'runner', containers: [{ name: 'a', image: 'a' }] },
  };
}

function accountNamed(name: string, of: string): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: of } };
}

async function setUp(harness: Harness): Promise<Kube> {
  const { bench, workplace } = harness;
  const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager'] });
  const args = [
    '--namespace',
    'fleet',
    '--set',
    'agents.enabled=true',
    '--show-only',
    'templates/agents.yaml',
  ];
  await apply(kube, await helmAlone(harness).ok('template', 'ci', chartFolder, ...args));
  const items = [
    ...['mac-1', 'mac-2'].flatMap((name) => [
      accountNamed(`tart-kubelet-${name}`, namespace),
      nodeNamed(name),
      podOn(name),
    ]),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'default' } },
  ];
  const list = [accountNamed('runner', 'default'), ...items];
  await apply(kube, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: list }));
  return kube;
}

async function apply(kube: Kube, text: string): Promise<void> {
  const { status, stderr } = await kube.kubectl(['apply', '-f', '-'], text);
  if (status !== 0) throw new Error(`failed to apply: ${stderr}`);
}

/** As the agent of mac-1. */
async function asAgent(kube: Kube, args: readonly string[]): Promise<string> {
  const user = `system:serviceaccount:${namespace}:tart-kubelet-mac-1`;
  const groups = [`system:serviceaccounts:${namespace}`, 'system:serviceaccounts', 'system:authenticated'];
  const identity = ['--as', user, ...groups.map((group) => `--as-group=${group}`)];
  const { status, stderr } = await kube.kubectl([...args, ...identity]);
  return status === 0 ? 'allowed' : stderr;
}

const label = ['-p', '{"metadata":{"labels":{"a":"b"}}}'];
const onlyOwn = /an agent may change its own Node and Lease only/;
const onlyItsPods = /an agent may change Pods on its own Node only/;

/** `UID` stands for the uid of the Pod that is named. */
function tokenFor(pod: string): readonly string[] {
  const bound = ['--bound-object-kind=Pod', `--bound-object-name=${pod}`, '--bound-object-uid=UID'];
  return ['create', 'token', 'runner', ...bound];
}

const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['another Node', ['patch', 'node', 'mac-2', ...label], onlyOwn],
  ['a Pod on another Node', ['delete', 'pod', 'on-mac-2', '--wait=false'], onlyItsPods],
  ['the token of a Pod on another Node', tokenFor('on-mac-2'), /tokens for Pods on its own Node only/],
  ['a token that is bound to no Pod', ['create', 'token', 'runner'], /tokens that are bound to a Pod only/],
  [
    'the token of another agent',
    ['create', 'token', 'tart-kubelet-mac-2', '-n', namespace],
    /an agent renews its own token only/,
  ],
  ['Secrets', ['get', 'secret', 'a'], /cannot get resource "secrets"/],
  ['the deletion of its Node', ['delete', 'node', 'mac-1', '--wait=false'], /cannot delete resource "nodes"/],
];

const allowed: readonly (readonly [string, readonly string[]])[] = [
  ['its own Node', ['patch', 'node', 'mac-1', ...label]],
  ['the token of a Pod on its Node', tokenFor('on-mac-1')],
  ['a new token of its own', ['create', 'token', 'tart-kubelet-mac-1', '-n', namespace]],
  [
    'the end of a Pod on its Node',
    ['delete', 'pod', 'on-mac-1', '--wait=false', '--grace-period=0', '--force'],
  ],
];

async function withUid(kube: Kube, args: readonly string[]): Promise<readonly string[]> {
  const name = args.find((arg) => arg.startsWith('--bound-object-name='))?.split('=')[1];
  if (name === undefined) return args;
  const { stdout } = await kube.kubectl(['get', 'pod', name, '-o', 'jsonpath={.metadata.uid}']);
  return args.map((arg) => arg.replace('UID', stdout));
}

await describeIntegration({ name: 'the rights of an agent', by: ['kube', 'helm'], setUp }, (given) => {
  it('is refused on another Node once the policies are in force', async () => {
    const other = ['patch', 'node', 'mac-2', ...label];
    await expect.poll(() => asAgent(given(), other), patience).toMatch(onlyOwn);
  });

  it.for(refused)('is refused: %s', async ([, args, why]) => {
    await expect.poll(async () => asAgent(given(), await withUid(given(), args)), patience).toMatch(why);
  });

  it.for(allowed)('is allowed: %s', async ([, args]) => {
    expect(await asAgent(given(), await withUid(given(), args))).toBe('allowed');
  });
});
