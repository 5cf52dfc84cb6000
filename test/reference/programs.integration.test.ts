/** Every reference program is started once and does its work; all of them listen on loopback only. */
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { bringUp, startClusterApiFrom, startKubeFrom } from './bring-up.ts';
import { describeIntegration } from './describe-integration.ts';
import { groupNames } from './programs.ts';
import { listeners } from './launch/listeners.ts';
import { startPostgres } from './launch/postgres.ts';
import { Workplace } from './launch/workplace.ts';

await describeIntegration(
  {
    name: 'a control plane with Cluster API',
    by: 'capi',
    setUp: async ({ bench, workplace }) => {
      const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager', 'scheduler'] });
      await startClusterApiFrom(bench, workplace, kube);
      return { kube, workplace, bench };
    },
  },
  (given) => {
    it('runs every server, and none listens beyond loopback', async () => {
      const { workplace } = given();
      const names = workplace.servers.map((server) => server.name).toSorted();
      expect(names).toEqual([
        'cluster-api',
        'etcd',
        'kube-apiserver',
        'kube-controller-manager',
        'kube-scheduler',
      ]);
      const addresses = await Promise.all(workplace.servers.map((server) => listeners(server.pid)));
      expect(addresses.map((list) => list.length > 0)).toEqual(names.map(() => true));
      expect(addresses.flat().filter((address) => !address.startsWith('127.'))).toEqual([]);
    });

    it('serves Cluster API through its webhooks', async () => {
      const { kube } = given();
      const refused = await kube.kubectl(
        ['create', '-f', '-'],
        JSON.stringify({
          apiVersion: 'cluster.x-k8s.io/v1beta2',
          kind: 'MachineDeployment',
          metadata: { name: 'no-selector-match', namespace: 'default' },
          spec: {
            clusterName: 'c',
            selector: { matchLabels: { a: 'b' } },
            template: {
              metadata: { labels: { a: 'other' } },
              spec: {
                clusterName: 'c',
                bootstrap: { dataSecretName: 's' },
                infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'K', name: 'n' },
              },
            },
          },
        }),
      );
      // Its defaulting webhook added the second label, and its validating one refused the result.
      expect(refused.stderr).toContain('must match spec.selector "a=b,cluster.x-k8s.io/cluster-name=c"');
    });

    it('deletes a namespace with what its controllers put into it', async () => {
      const { kube } = given();
      await kube.mustKubectl(['create', 'namespace', 'short-lived']);
      await kube.mustKubectl([
        'wait',
        '--for=create',
        'configmap/kube-root-ca.crt',
        '-n',
        'short-lived',
        '--timeout=60s',
      ]);
      await kube.mustKubectl(['delete', 'namespace', 'short-lived', '--timeout=60s']);
      expect(await kube.mustKubectl(['get', 'namespaces', '-o', 'name'])).not.toContain('short-lived');
    });

    it('schedules a Pod onto a Node', async () => {
      const { kube } = given();
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mac-1' } };
      await kube.mustKubectl(['create', '-f', '-'], JSON.stringify(node));
      const status = {
        allocatable: { cpu: '8', memory: '16Gi', pods: '2' },
        conditions: [{ type: 'Ready', status: 'True' }],
      };
      await kube.mustKubectl(
        ['replace', '--subresource=status', '-f', '-'],
        JSON.stringify({ ...node, status }),
      );
      // The API server taints a new Node until a node-lifecycle controller, which does not run here, removes the taint.
      await kube.mustKubectl(['taint', 'node', 'mac-1', 'node.kubernetes.io/not-ready:NoSchedule-']);
      await kube.mustKubectl(['run', 'job', '--image=none']);
      await kube.mustKubectl(['wait', '--for=condition=PodScheduled', 'pod/job', '--timeout=60s']);
      expect(await kube.mustKubectl(['get', 'pod', 'job', '-o', 'jsonpath={.spec.nodeName}'])).toBe('mac-1');
    });

    it('a port in use is named', async () => {
      const { bench } = given();
      const holder = createServer();
      await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
      const address = holder.address();
      const taken = typeof address === 'object' && address !== null ? address.port : 0;
      const workplace = await Workplace.open('taken');
      try {
        const [other = 0] = await workplace.ports(1);
        await expect(startKubeFrom(bench, { workplace, ports: [taken, other] })).rejects.toMatchObject({
          message: `etcd cannot start: port ${taken} on 127.0.0.1 is already taken`,
        });
      } finally {
        await workplace.close();
        holder.close();
      }
    });
  },
);

for (const group of groupNames.filter((name) => name !== 'kube' && name !== 'capi')) {
  await describeIntegration(
    { name: `the reference programs of ${group}`, by: group, setUp: ({ bench }) => Promise.resolve(bench) },
    (bench) => {
      it('starts, works and stops', async () => {
        const did: string[] = [];
        await bringUp(new Set([group]), bench(), (name, what) => did.push(`${name} ${what}`));
        expect(did.join('\n')).toMatch(
          {
            helm: /1 chart\(s\) linted, 0 chart\(s\) failed/,
            postgres: /accepts connections on port \d+/,
            sshd: /logged in as \w+/,
            zsh: /runs 5\.\d/,
            chromium: /Chrome\/\d+.* answers on its DevTools port/,
            prometheus: /1 rules found/,
            kube: /serving/,
            capi: /manages/,
          }[group],
        );
      });
    },
  );
}

await describeIntegration(
  {
    name: 'PostgreSQL',
    by: 'postgres',
    setUp: async ({ bench, workplace }) => {
      await startPostgres(workplace, bench.get('postgres')?.path ?? '');
      return workplace;
    },
  },
  (workplace) => {
    it('listens on loopback only', async () => {
      const addresses = await Promise.all(workplace().servers.map((server) => listeners(server.pid)));
      expect(addresses.flat().map((address) => address.split(':')[0])).toEqual(['127.0.0.1']);
    });
  },
);
