/**
 * Pods of pools on the real kube-apiserver: it accepts both templates, refuses to delete a Pod that was claimed
 * meanwhile, and its garbage collector keeps the Pods when their pool is deleted in the foreground.
 */
import { expect, it } from 'vitest';
import { macPool, pool } from '../../../lab/harness/pool-samples.ts';
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../../test/reference/describe-integration.ts';
import { wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { labels } from '../../api/names/labels.ts';
import { runnerPools } from '../state/runner-pool-objects.ts';
import { pods, runtimeClasses, serviceAccounts } from '../../kube/client/builtin-resources.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { fixed } from '../../kube/client/credential-sources.ts';
import { HttpTransport } from '../../kube/client/http-transport.ts';
import { apiVersionOf } from '../../kube/client/kube-object.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Secret } from '../../platform/secret.ts';
import type { TemplateSettings } from './pod-parts.ts';
import { accountOf, podOf } from './pod-template.ts';

const namespace = 'default';
const patience = { timeout: 120_000, interval: 100 };
const settings: TemplateSettings = {
  dispatchUrl: 'https://dispatch.example/',
  dindImage: 'docker:dind',
  registryMirrorUrl: 'https://mirror.example/',
  clusterDnsIp: '10.0.0.10',
  clusterDomain: 'cluster.local',
};

async function setUp({ bench, workplace }: Harness) {
  const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager'] });
  await kube.mustKubectl(['apply', '-f', 'charts/muster/crds']);
  await kube.mustKubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
  const { certificate, key } = await kube.authority.client('pools', ['system:masters']);
  const credentials = fixed({ certificate: { pem: certificate, key: new Secret(key) } });
  const connection = { server: kube.url, authority: kube.authority.certificate, credentials };
  const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  const kata = { metadata: { name: 'kata-qemu' }, handler: 'kata' };
  await client.create(runtimeClasses, {}, kata);
  return { kube, client, close: () => transport.close() };
}

const here = (of: ReturnType<typeof pool>) => ({ ...of, metadata: { ...of.metadata, namespace } });

await describeIntegration({ name: 'Pods of pools on kube-apiserver', by: 'kube', setUp }, (given) => {
  it.for([
    ['Linux', here(pool({ idleTimeoutSeconds: 60 })), ['dind', 'poller']],
    ['a Mac', here(macPool()), []],
  ] as const)('the Pod of a pool for %s is taken as it is', async ([, of, before]) => {
    const name = `${of.spec.os}-runner-1a2b3c4d`;
    const { client } = given();
    await client.create(serviceAccounts, { namespace }, accountOf(of, name));
    const made = await client.create(pods, { namespace }, podOf({ pool: of, settings }, name));
    expect((made.spec?.initContainers ?? []).map((one) => one.name)).toEqual(before);
    expect(made.spec?.serviceAccountName).toBe(name);
  });

  it('a Pod is not deleted at a resource version from before its claim', async () => {
    const { client } = given();
    const place = { namespace, name: 'linux-runner-1a2b3c4d' };
    const { metadata } = await client.get(pods, place);
    await client.patch(pods, place, {
      merge: { metadata: { labels: { [labels.runnerPoolOwner.key]: 'acme' } } },
    });
    const { uid, resourceVersion } = metadata;
    await expect(client.delete(pods, place, { uid, resourceVersion })).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect((await client.get(pods, place)).metadata.deletionTimestamp).toBeUndefined();
  });

  it('a foreground deletion of a pool deletes owned objects, and not its Pods', async () => {
    const { kube, client } = given();
    const held = { namespace, name: 'macs', finalizers: [finalizers.runnerPoolDrain.key] };
    const type = { apiVersion: apiVersionOf(runnerPools), kind: runnerPools.kind };
    const owner = await client.create(
      runnerPools,
      { namespace },
      { ...type, metadata: held, spec: { ...macPool().spec } },
    );
    const own = here({ ...macPool(), metadata: owner.metadata });
    await client.create(serviceAccounts, { namespace }, accountOf(own, 'macs-runner-1'));
    await client.create(pods, { namespace }, podOf({ pool: own, settings }, 'macs-runner-1'));
    const { name, uid } = owner.metadata;
    const ownerReferences = [{ ...type, name, uid, controller: true, blockOwnerDeletion: true }];
    const owned = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'owned', ownerReferences } };
    await client.create(serviceAccounts, { namespace }, owned);
    await kube.mustKubectl(['delete', 'runnerpool', 'macs', '--cascade=foreground', '--wait=false']);
    await expect
      .poll(() => client.find(serviceAccounts, { namespace, name: 'owned' }), patience)
      .toBeUndefined();
    const left = [
      await client.get(pods, { namespace, name: 'macs-runner-1' }),
      await client.get(serviceAccounts, { namespace, name: 'macs-runner-1' }),
    ];
    expect(left.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
    expect(await client.find(runnerPools, { namespace, name })).toBeDefined();
  });
});
