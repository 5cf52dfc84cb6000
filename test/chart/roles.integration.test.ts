/**
 * The chart, installed on the embedded API and on the real one: the manager does all of its work as the ServiceAccount
 * of the chart. No request is refused, and no permission is granted without use. On the real API the authorizer decides
 * and the audit log records.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { managerRights, type Right } from '../../src/manager/kube-rights.ts';
import { Client } from '../integration/client.ts';
import { startEmbedded } from '../integration/embedded.ts';
import { withToken } from '../integration/token.ts';
import { pathOf, startKubeFrom } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import { startInstalled, type InstalledManager } from './installed-manager.ts';
import { hostSecrets, liveThrough, waiting } from './life-of-a-fleet.ts';
import { chartFolder, containerOf, grantsIn, helmAlone } from './rendered.ts';
import { grantsOf, inAudit, rareIn, type Asked } from './rights-used.ts';

interface Given {
  readonly helm: Client;
  readonly kubectl: Client;
  readonly place: { readonly kubeconfig: string; readonly dir: string };
  readonly askedBy: (manager: InstalledManager) => Promise<Asked>;
}

const account = 'system:serviceaccount:fleet:ci-muster-manager';

async function onEmbedded(harness: Harness): Promise<Given> {
  const embedded = await startEmbedded(harness);
  const kubectl = embedded.client('kubectl').with('-n', 'fleet');
  await kubectl.ok('create', 'namespace', 'fleet');
  const helm = embedded.client('helm').with('-n', 'fleet');
  return { helm, kubectl, place: embedded, askedBy: ({ transport }) => Promise.resolve(transport) };
}

async function onReal(harness: Harness): Promise<Given> {
  const { bench, workplace } = harness;
  const kube = await startKubeFrom(bench, { workplace, audited: [account] });
  const kubeconfig = kube.adminKubeconfig;
  const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(workplace.dir, 'kubectl-cache') };
  const program = pathOf(bench, 'kubectl');
  const kubectl = new Client({ program, env, unless: workplace.died }).with('-n', 'fleet');
  await kubectl.ok('create', 'namespace', 'fleet');
  const helm = helmAlone(harness).under({ KUBECONFIG: kubeconfig }).with('-n', 'fleet');
  const askedBy = async () => inAudit(await kube.auditLog());
  return { helm, kubectl, place: { kubeconfig, dir: workplace.dir }, askedBy };
}

/** Without the roles for owned Macs and for runners: other tests cover these. */
const elsewhere = new Set(['static', 'runners', 'runner-nodes']);
const rights: readonly Right[] = Object.entries(managerRights).flatMap(([role, table]) =>
  elsewhere.has(role) ? [] : table,
);

async function granted(kubectl: Client): Promise<readonly string[]> {
  const names = [
    'clusterrole/ci-muster-manager-fleet',
    'role/ci-muster-manager-lease',
    'role/ci-muster-manager-fleet-spread',
  ];
  const roles = await Promise.all([
    ...names.map((name) => kubectl.json('get', name)),
    kubectl.with('-n', hostSecrets).json('get', 'role/ci-muster-manager-secrets'),
  ]);
  return roles.flatMap(grantsIn);
}

async function start({ kubectl, place }: Given): Promise<InstalledManager> {
  const token = await kubectl.ok('create', 'token', 'ci-muster-manager');
  const { args } = containerOf(await kubectl.json('get', 'deployment', 'ci-muster-manager'));
  return startInstalled({ args, kubeconfig: await withToken(place, token) });
}

function cases(given: () => Given): void {
  it('install brings the kinds, the Deployment and the roles', async () => {
    const { helm, kubectl } = given();
    const reclaim = 'macosFleet.adoptPoolPrefix=tuist-pool-,macosFleet.orphanReclaim.activeReclaim=true';
    const spread = 'manager.fleetSpread.deployment=processor';
    const said = await helm.ok('install', 'ci', chartFolder, '--set', reclaim, '--set', spread);
    expect(said).toContain('STATUS: deployed');
    expect(said).toContain('kubectl -n fleet rollout status deployment/ci-muster-manager');
    await kubectl.ok('wait', '--for=condition=Established', waiting, '-f', `${chartFolder}/crds`);
    expect((await granted(kubectl)).toSorted()).toEqual(grantsOf(rights).toSorted());
  });

  it('the manager does all of its work with the permissions of the chart, and uses each of them', async () => {
    const { kubectl, askedBy } = given();
    const manager = await start(given());
    try {
      await liveThrough(kubectl, manager);
    } finally {
      await manager.stop();
    }
    const { used, refused } = await askedBy(manager);
    expect(refused).toEqual([]);
    expect(manager.lines.filter((line) => /forbidden|unauthorized|crashed/i.test(line))).toEqual([]);
    expect((await granted(kubectl)).filter((grant) => !used.has(grant))).toEqual(rareIn(rights));
  });

  it('the manager may not list Secrets, nor use them in other namespaces', async () => {
    const { kubectl, place } = given();
    const token = await kubectl.ok('create', 'token', 'ci-muster-manager');
    const manager = kubectl.under({ KUBECONFIG: await withToken(place, token) });
    const keys = manager.with('-n', hostSecrets);
    expect(await keys.refused('get', 'secrets')).toContain('cannot list resource "secrets"');
    expect(await manager.refused('get', 'secret', 'x')).toContain('forbidden');
    expect(await manager.refused('-n', 'default', 'get', 'secret', 'x')).toContain('forbidden');
    expect(await manager.refused('-n', 'default', 'create', 'secret', 'generic', 'x')).toContain('forbidden');
    expect(await keys.ok('create', 'secret', 'generic', 'x')).toContain('created');
  });

  it('uninstall keeps the kinds, their objects, and foreign objects', async () => {
    const { helm, kubectl } = given();
    await helm.ok('uninstall', 'ci', '--wait', waiting);
    const left = await kubectl.ok('get', 'deployment,role,rolebinding', '-o', 'name');
    expect(left).toBe('deployment.apps/processor');
    expect(await kubectl.ok('get', 'machosts', '-o', 'name')).toContain('machost');
  });
}

const by = ['kube', 'helm'] as const;
await describeIntegration({ name: 'the chart, installed on the embedded API', by, setUp: onEmbedded }, cases);
await describeIntegration({ name: 'the chart, installed on a real API server', by, setUp: onReal }, cases);
