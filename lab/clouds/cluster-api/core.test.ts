/** The stand-in passes the contract, on the embedded API and on virtual time. */
import { EmbeddedTransport } from '../../harness/embedded-transport.ts';
import { TestClock } from '../../harness/test-clock.ts';
import { ApiServer } from '../../../src/embedded/kubernetes-api/server.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { RateLimit } from '../../../src/platform/rate-limit.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import { definitions } from '../../contracts/cluster-api/drafts.ts';
import { describeClusterApi } from '../../contracts/cluster-api/suite.ts';
import { tinyDaemonSetDefinition, tinyDaemonSets } from '../../contracts/cluster-api/tiny-kinds.ts';
import { ClusterApiCore } from './core.ts';
import { installClusterApi } from './crds.ts';

const daemonSet = { apiVersion: 'tiny.muster.dev/v1', kind: 'DaemonSet', metadata: { name: 'everywhere' } };

describeClusterApi('the embedded API, with the stand-in', async () => {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const streams = new RandomStreams(1);
  const server = new ApiServer({ clock, random: streams.stream('server'), tokenSecret: new Uint8Array(32) });
  const transport = new EmbeddedTransport(server);
  const limit = new RateLimit(clock, { perSecond: 10_000, burst: 10_000 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'contract' });
  await installClusterApi(client);
  await client.create(definitions, {}, tinyDaemonSetDefinition);
  await clock.pass(1000);
  const random = streams.stream('core');
  const core = new ClusterApiCore({ transport, clock, random, log: () => undefined });
  core.start();
  return {
    client,
    kubeconfig: 'not used',
    daemonSet: (namespace) => client.create(tinyDaemonSets, { namespace }, daemonSet),
    pass: () => clock.pass(100),
    close: () => core.stop(),
  };
});
