/**
 * The chart with a list of owned Macs: what the real helm makes of it, and, on the embedded API, that the manager does its
 * work with these rights, and uses each of them.
 */
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Client } from '../integration/client.ts';
import { startEmbedded, type Embedded } from '../integration/embedded.ts';
import { documents } from '../integration/kubectl/flow.ts';
import { withToken } from '../integration/token.ts';
import { mac, macId, zone } from '../../lab/harness/static-provider-harness.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import { startInstalled } from './installed-manager.ts';
import { hostSecrets } from './life-of-a-fleet.ts';
import { chartFolder, containerOf, flagsIn, grantsIn, only, render } from './rendered.ts';

interface Given {
  readonly embedded: Embedded;
  readonly helm: Client;
  readonly kubectl: Client;
}

const waiting = '--timeout=120s';
const values = [
  'provider=static',
  'static.hosts=macs',
  `static.zones[0]=${zone}`,
  'static.wipeCommand=/hook/wipe',
  'static.hookConfigMap=wipe',
  'static.hookSecret=wipe-key',
  'static.passwordsSecret=mac-passwords',
  'macosFleet.adoptPoolPrefix=pool-',
].join(',');

async function setUp(harness: Harness): Promise<Given> {
  const embedded = await startEmbedded(harness);
  const kubectl = embedded.client('kubectl').with('-n', 'fleet');
  await kubectl.ok('create', 'namespace', 'fleet');
  return { embedded, helm: embedded.client('helm').with('-n', 'fleet'), kubectl };
}

async function setList(kubectl: Client, numbers: readonly number[]): Promise<void> {
  const text = stringify({ hosts: numbers.map(mac) });
  const list = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'macs' },
    data: { 'hosts.yaml': text },
  };
  await kubectl.feed(documents(list), 'apply', '-f', '-');
}

function machine(name: string) {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name },
    spec: { zone, type: 'M2-L', os: 'Tahoe' },
  };
}

/** A Mac is adopted and released, and is removed from the list during its wipe. */
async function lifeOfMac(kubectl: Client): Promise<void> {
  await kubectl.ok('create', 'secret', 'generic', 'mac-passwords', `--from-literal=${macId(1)}=x`);
  // Left over from an earlier machine of the same name.
  const keys = kubectl.with('-n', hostSecrets);
  await keys.ok('create', 'secret', 'generic', 'ci-1-bootstrap');
  await keys.ok('label', 'secret', 'ci-1-bootstrap', 'tuist.dev/managed-by=capi-scaleway-applesilicon');
  await setList(kubectl, [1, 2]);
  await kubectl.feed(documents(machine('ci-1')), 'create', '-f', '-');
  const name = 'scalewayapplesiliconmachines/ci-1';
  await kubectl.ok('wait', name, '--for=jsonpath={.status.ready}=true', waiting);
  await kubectl.ok('delete', name, waiting);
  await kubectl.ok('wait', `machost/${macId(1)}`, '--for=jsonpath={.status.wipe.startedAt}', waiting);
  await setList(kubectl, [2]);
  await kubectl.ok('wait', `machost/${macId(1)}`, '--for=delete', waiting);
}

await describeIntegration({ name: 'the chart with owned Macs', by: ['kube', 'helm'], setUp }, (given) => {
  it('the list and the command become flags, and Scaleway needs no values', async () => {
    const objects = await render(given().helm, '--set', values);
    const deployment = only(objects, 'Deployment');
    expect(flagsIn(deployment)).toMatchObject({
      '--provider': 'static',
      '--orphan-reclaim-zones': 'office',
      '--static-hosts': 'fleet/macs',
      '--static-wipe-command': '/hook/wipe',
      '--static-wipe-deadline': '45m',
      '--static-hosts-secret-name': 'mac-passwords',
    });
    const text = JSON.stringify(deployment);
    expect(text).not.toContain('SCW_');
    expect(text).toContain('"configMap":{"name":"wipe","defaultMode":365}');
    expect(text).toContain('"secret":{"secretName":"wipe-key"}');
    expect(only(objects, 'ConfigMap')).toMatchObject({
      metadata: { name: 'macs-notes', annotations: { 'helm.sh/resource-policy': 'keep' } },
    });
  });

  it('rented hosts need none of these objects', async () => {
    const text = JSON.stringify(await render(given().helm));
    expect([text.includes('configmaps'), text.includes('volumes'), text.includes('static')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['provider=static,static.hosts=macs', 'needs static.hosts, static.zones and static.wipeCommand'],
    ['provider=aws', "at '/provider': value must be one of 'scaleway', 'static'"],
    ['static.wipeCommand=wipe', "at '/static/wipeCommand': 'wipe' does not match"],
    ['static.host=x', "additional properties 'host' not allowed"],
  ])('%s is refused, and the message says where', async (set, message) => {
    expect(await given().helm.refused('template', 'ci', chartFolder, '--set', set)).toContain(message);
  });

  it('the manager does its work with the permissions of the chart, and uses each of them', async () => {
    const { embedded, helm, kubectl } = given();
    await helm.ok('install', 'ci', chartFolder, '--set', values);
    await kubectl.ok('wait', '--for=condition=Established', waiting, '-f', `${chartFolder}/crds`);
    const token = await kubectl.ok('create', 'token', 'ci-muster-manager');
    const { args } = containerOf(await kubectl.json('get', 'deployment', 'ci-muster-manager'));
    const manager = await startInstalled({ args, kubeconfig: await withToken(embedded, token) });
    try {
      await lifeOfMac(kubectl);
    } finally {
      await manager.stop();
    }
    const { used, refused } = manager.transport;
    expect(refused).toEqual([]);
    expect(manager.lines).toContain('runs /hook/wipe');
    expect(manager.lines.filter((line) => /forbidden|unauthorized|crashed/i.test(line))).toEqual([]);
    const roles = await Promise.all([
      kubectl.json('get', 'role/ci-muster-manager-static'),
      kubectl.with('-n', hostSecrets).json('get', 'role/ci-muster-manager-secrets'),
    ]);
    expect(roles.flatMap(grantsIn).filter((grant) => !used.has(grant))).toEqual([]);
  });

  it('an upgrade and an uninstall keep the provider records', async () => {
    const { helm, kubectl } = given();
    const notes = async (): Promise<string> =>
      kubectl.ok('get', 'configmap', 'macs-notes', '-o', 'jsonpath={.data}');
    const before = await notes();
    expect(before).toContain(`${macId(1)}.wipe`);
    await helm.ok('upgrade', 'ci', chartFolder, '--set', values, '--set', 'manager.logLevel=debug');
    expect(await notes()).toBe(before);
    await helm.ok('uninstall', 'ci', '--wait', waiting);
    expect(await notes()).toBe(before);
  });
});
