/** The known pools, on the embedded API. */
import { beforeEach, expect, it } from 'vitest';
import { askServer } from '../../../lab/harness/ask-server.ts';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { anyRandom } from '../../../lab/harness/wall-clock.ts';
import { installKinds } from '../../embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { noMetrics } from '../../platform/metrics.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { RunnerPoolLister } from './runner-pool-lister.ts';
import { noon } from '../../../lab/contracts/store/harness.ts';

const namespace = 'tuist-runners';
const path = `/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`;

let api: ApiServer;
let lister: RunnerPoolLister;
beforeEach(async () => {
  const clock = new TestClock(noon);
  const random = anyRandom;
  api = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
  installKinds(api);
  await clock.pass(1000);
  askServer(api, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  const transport = new EmbeddedTransport(api);
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  const fail = (error: unknown): never => expect.fail(String(error));
  lister = new RunnerPoolLister({
    client,
    clock,
    random,
    namespace,
    metrics: noMetrics,
    onTrouble: fail,
    onFault: fail,
  });
});

function make(name: string, finalizers: readonly string[] = []): void {
  const body = {
    apiVersion: 'tuist.dev/v1alpha1',
    kind: 'RunnerPool',
    metadata: { name, finalizers },
    spec: {
      image: 'runner@sha256:1',
      fleetSelector: 'runners-linux',
      dispatchLabel: name,
      runnerLabels: ['self-hosted'],
      os: 'linux',
      podCPUMilli: 4000,
      podMemoryMB: 8192,
    },
  };
  askServer(api, { method: 'POST', path, body });
}

it('before the informer is synced the pools are undefined, not empty', async () => {
  make('linux');
  expect([lister.known(), lister.routes()]).toEqual([undefined, undefined]);
  lister.informer.start();
  await lister.informer.synced();
  expect(lister.known()).toEqual([{ name: 'linux', isBeingDeleted: false }]);
  await lister.informer.stop();
});

it('a pool being deleted is listed as such, and takes no new jobs', async () => {
  make('linux');
  make('macs', ['test/held']);
  askServer(api, { method: 'DELETE', path: `${path}/macs` });
  lister.informer.start();
  await lister.informer.synced();
  expect(lister.known()).toEqual([
    { name: 'linux', isBeingDeleted: false },
    { name: 'macs', isBeingDeleted: true },
  ]);
  expect(lister.routes()?.map(({ name }) => name)).toEqual(['linux']);
  await lister.informer.stop();
});
