/** The real Cluster API core on the real kube-apiserver proves that the rules of the contract are true. */
import { readFile } from 'node:fs/promises';
import { startClusterApiFrom, startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../test/reference/describe-integration.ts';
import { wallClock as clock } from '../../harness/wall-clock.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { fixed } from '../../../src/kube/client/credential-sources.ts';
import { HttpTransport } from '../../../src/kube/client/http-transport.ts';
import type { Resource } from '../../../src/kube/client/kube-object.ts';
import { RateLimit } from '../../../src/platform/rate-limit.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { describeClusterApi } from './suite.ts';

/** The polling interval; the two cores of a small machine are better spent on the servers. */
const askEveryMs = 50;

const daemonSets: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
};
const podLabels = { app: 'everywhere' };
const daemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'everywhere' },
  spec: {
    selector: { matchLabels: podLabels },
    template: { metadata: { labels: podLabels }, spec: { containers: [{ name: 'main', image: 'none' }] } },
  },
};

await describeIntegration(
  {
    name: 'the contract of the stand-in for Cluster API',
    by: 'capi',
    setUp: async ({ bench, workplace }) => {
      const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager'] });
      await startClusterApiFrom(bench, workplace, kube);
      return kube;
    },
  },
  (given) => {
    describeClusterApi('kube-apiserver, with the real core', async () => {
      const { url, authority, adminKubeconfig } = given();
      const { certificate, key } = await authority.client('contract', ['system:masters']);
      const credentials = fixed({ certificate: { pem: certificate, key: new Secret(key) } });
      const connection = { server: url, authority: authority.certificate, credentials };
      const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
      const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
      const client = new KubeClient({ transport, clock, limit, fieldManager: 'contract' });
      return {
        client,
        daemonSet: (namespace) => client.create(daemonSets, { namespace }, daemonSet),
        kubeconfig: await readFile(adminKubeconfig, 'utf8'),
        pass: async () => new Promise<void>((resolve) => void clock.after(askEveryMs, resolve)),
        close: () => transport.close(),
      };
    });
  },
);
