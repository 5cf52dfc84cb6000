/**
 * The commands that change something, over HTTPS against a real kube-apiserver with its schemas, versions and roles.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../test/reference/describe-integration.ts';
import type { Kube } from '../../../test/reference/launch/kube.ts';
import { anyRandom, wallClock } from '../../../lab/harness/wall-clock.ts';
import { kubeconfig as kubeconfigOf } from '../../embedded/kubernetes-api/http/kubeconfig.ts';
import type { Connection } from '../../kube/client/connection.ts';
import { HttpTransport } from '../../kube/client/http-transport.ts';
import type { KubeTransport } from '../../kube/client/transport.ts';
import type { ClusterPorts } from '../process-ports.ts';
import { runProgram } from '../program.ts';

const crdFolder = 'charts/muster/crds';
const idOf = (start: string): string => `${start.padEnd(8, '0')}-0000-4000-8000-000000000000`;
const noWait = ['--yes', '--timeout', '0s'] as const;

interface Order {
  readonly kube: Kube;
  readonly kubeconfig?: string;
  readonly ask?: NonNullable<ClusterPorts['ask']>;
  readonly transport?: NonNullable<ClusterPorts['transport']>;
}

async function muster({ kube, kubeconfig, ask, transport }: Order, ...args: readonly string[]) {
  let [out, err] = ['', ''];
  const status = await runProgram(args, '1.2.3', {
    terminal: { out: (text) => void (out += text), err: (text) => void (err += text) },
    clock: wallClock,
    random: anyRandom,
    stopped: new Promise<void>(() => undefined),
    outside: {
      env: { KUBECONFIG: kubeconfig ?? kube.adminKubeconfig },
      readFile: (path) => readFile(path, 'utf8'),
      runProgram: () => Promise.reject(new Error('no programs')),
      ...(ask !== undefined && { ask }),
      ...(transport !== undefined && { transport }),
    },
  });
  return { status, out, err };
}

const stored = z.looseObject({
  metadata: z.looseObject({ uid: z.string() }),
  spec: z.looseObject({}),
  status: z.looseObject({}).optional(),
});

async function get(kube: Kube, ...address: readonly string[]): Promise<z.infer<typeof stored>> {
  return stored.parse(JSON.parse(await kube.mustKubectl(['get', ...address, '-o', 'json'])));
}

async function apply(kube: Kube, object: object): Promise<void> {
  await kube.mustKubectl(['create', '-f', '-'], JSON.stringify(object));
}

async function patchStatus(kube: Kube, address: readonly string[], status: object): Promise<void> {
  const patch = JSON.stringify({ status });
  await kube.mustKubectl(['patch', ...address, '--subresource=status', '--type=merge', '-p', patch]);
}

async function makeHost(kube: Kube, id: string, spec: object): Promise<void> {
  await apply(kube, { apiVersion: 'muster.dev/v1alpha1', kind: 'MacHost', metadata: { name: id }, spec });
  const observed = {
    name: `tuist-pool-${id}`,
    zone: 'fr-par-1',
    type: 'M2-L',
    status: 'ready',
    delivered: true,
  };
  await patchStatus(kube, ['mh', id], { state: 'Stranded', reason: 'Stranded', observed });
}

/** A machine on its host, as a manager would have bound it. */
async function makeBound(kube: Kube, name: string, id: string): Promise<void> {
  await apply(kube, {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name, namespace: 'default' },
    spec: { providerID: `scw-applesilicon://fr-par-1/${id}`, adoptPoolPrefix: 'tuist-pool-' },
  });
  const { uid } = (await get(kube, 'samm', name)).metadata;
  await patchStatus(kube, ['samm', name], { serverID: id });
  await makeHost(kube, id, { claim: { namespace: 'default', name, uid }, used: true });
}

await describeIntegration(
  {
    name: 'changes of hosts and machines on the real kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const kube = await startKubeFrom(bench, { workplace });
      await kube.mustKubectl(['create', '-f', crdFolder]);
      await kube.mustKubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', crdFolder]);
      return kube;
    },
  },
  (kube) => {
    it('quarantine and unquarantine write and remove the hold', async () => {
      const id = idOf('a1');
      await makeHost(kube(), id, {});
      expect(await muster({ kube: kube() }, 'quarantine', id, '--reason', 'slow', ...noWait)).toMatchObject({
        status: 0,
      });
      expect((await get(kube(), 'mh', id)).spec).toMatchObject({ hold: { reason: 'slow' } });
      expect(await muster({ kube: kube() }, 'unquarantine', id, ...noWait)).toMatchObject({ status: 0 });
      expect((await get(kube(), 'mh', id)).spec).toEqual({});
    });

    it('release and terminate write orders that the schema accepts, and Events that why shows', async () => {
      const id = idOf('b1');
      const claim = { namespace: 'default', name: 'gone', uid: 'gone' };
      await makeHost(kube(), id, { claim, used: true });
      const order = ['release', id, '--pool-prefix', 'tuist-pool-', '--force', '--reason', 'lost', ...noWait];
      expect(await muster({ kube: kube() }, ...order)).toMatchObject({ status: 0, err: '' });
      expect((await get(kube(), 'mh', id)).spec).toMatchObject({
        claim,
        release: {
          policy: 'pool',
          poolPrefix: 'tuist-pool-',
          orderedBy: expect.stringContaining('person: lost (forced; claim: default/gone'),
        },
      });
      expect(await muster({ kube: kube() }, 'terminate', id, '--reason', 'broken', ...noWait)).toMatchObject({
        status: 0,
        err: '',
      });
      expect((await get(kube(), 'mh', id)).spec['release']).toEqual({
        policy: 'terminate',
        orderedBy: 'person: broken',
        orderedAt: expect.any(String),
        serverName: `tuist-pool-${id}`,
      });
      const why = await muster({ kube: kube() }, 'why', `host/${id}`);
      expect(why.out).toMatch(/Normal +Deleting: terminate was ordered by a person: broken/);
      expect(why.out).toMatch(/Normal +Releasing: pool was ordered by a person: lost/);
    });

    it('a claim that appears before the confirmation is not overruled', async () => {
      const id = idOf('c1');
      await makeBound(kube(), 'holder', idOf('c2'));
      const { uid } = (await get(kube(), 'samm', 'holder')).metadata;
      await makeHost(kube(), id, { used: true });
      const ask = async (): Promise<string> => {
        const patch = { spec: { claim: { namespace: 'default', name: 'holder', uid } } };
        await kube().mustKubectl(['patch', 'mh', id, '--type=merge', '-p', JSON.stringify(patch)]);
        return 'y';
      };
      const { status, err } = await muster(
        { kube: kube(), ask },
        'release',
        id,
        '--pool-prefix',
        'tuist-pool-',
        '--claim-prefix',
        'server-',
      );
      expect([status, err]).toEqual([
        1,
        expect.stringContaining('machine default/holder has this host and is alive'),
      ]);
      expect((await get(kube(), 'mh', id)).spec['release']).toBeUndefined();
    });

    it('a claim that appears between the last read and the write is not overruled either', async () => {
      const id = idOf('f1');
      await makeBound(kube(), 'late', idOf('f2'));
      const { uid } = (await get(kube(), 'samm', 'late')).metadata;
      await makeHost(kube(), id, { used: true });
      const patch = { spec: { claim: { namespace: 'default', name: 'late', uid } } };
      const opened: HttpTransport[] = [];
      const transport = (connection: Connection): KubeTransport => {
        const http = new HttpTransport({ connection, userAgent: 'test', now: () => wallClock.now() });
        opened.push(http);
        return {
          reconnect: () => http.reconnect(),
          stream: (request, signal) => http.stream(request, signal),
          send: async (request, signal) => {
            if (request.method === 'PATCH')
              await kube().mustKubectl(['patch', 'mh', id, '--type=merge', '-p', JSON.stringify(patch)]);
            return http.send(request, signal);
          },
        };
      };
      const order = ['release', id, '--pool-prefix', 'tuist-pool-', ...noWait];
      const { status, err } = await muster({ kube: kube(), transport }, ...order);
      await Promise.all(opened.map((http) => http.close()));
      expect([status, err]).toEqual([
        1,
        expect.stringContaining('machine default/late has this host and is alive'),
      ]);
      expect((await get(kube(), 'mh', id)).spec['release']).toBeUndefined();
    });

    it('detach clears, keeps and deletes', async () => {
      const id = idOf('d1');
      await makeBound(kube(), 'leaver', id);
      await patchStatus(kube(), ['samm', 'leaver'], { conditions: [{ type: 'Paused', status: 'True' }] });
      const { status, out, err } = await muster(
        { kube: kube() },
        'detach',
        'default/leaver',
        '--yes',
        '--timeout',
        '30s',
      );
      expect([status, err, out]).toEqual([0, '', expect.stringContaining('seen: the machine is deleted')]);
      expect((await get(kube(), 'mh', id)).spec).toEqual({
        used: true,
        hold: { reason: expect.stringContaining('detached from default/leaver'), since: expect.any(String) },
      });
    });

    it('a user without a right gets the missing verb and resource, step by step', async () => {
      const id = idOf('e1');
      await makeHost(kube(), id, {});
      const kubeconfig = await kubeconfigFor(kube(), 'reader');
      const order = { kube: kube(), kubeconfig };
      expect((await muster(order, 'hosts')).err).toContain(
        'lacks the verb "list" on the resource "machosts.muster.dev"',
      );
      await kube().mustKubectl([
        'create',
        'clusterrole',
        'looks',
        '--verb=get,list',
        '--resource=machosts.muster.dev,scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io',
      ]);
      await kube().mustKubectl([
        'create',
        'clusterrolebinding',
        'looks',
        '--clusterrole=looks',
        '--user=reader',
      ]);
      // A new role is known a moment later.
      while ((await muster(order, 'hosts')).status !== 0);
      const refused = await muster(order, 'quarantine', id, '--reason', 'x', ...noWait);
      expect([refused.status, refused.err]).toEqual([
        1,
        expect.stringContaining('lacks the verb "patch" on the resource "machosts.muster.dev"'),
      ]);
    });
  },
);

async function kubeconfigFor(kube: Kube, user: string): Promise<string> {
  const pair = await kube.authority.client(user, []);
  const file = `${kube.adminKubeconfig}.${user}`;
  await writeFile(file, kubeconfigOf({ url: kube.url, user, ca: kube.authority.certificate, pair }), {
    mode: 0o600,
  });
  return file;
}
