/** The identity of a Mac: one ServiceAccount however often it is asked for, a token of its own, a kubeconfig without a secret. */
import { beforeEach, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { serviceAccounts, tokenReviews } from '../../kube/client/builtin-resources.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { readKubeconfig } from '../../kube/client/kubeconfig.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { accountNameOf, ensureAccount, kubeconfigFor, mintToken } from './identity.ts';

const place = { namespace: 'default', nodeName: 'mac-1' };
let client: KubeClient;
let transport: EmbeddedTransport;

beforeEach(() => {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const random = new RandomStreams(1).stream('server');
  transport = new EmbeddedTransport(new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) }));
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
});

it('creates the ServiceAccount once', async () => {
  await ensureAccount(client, place);
  const name = accountNameOf('mac-1');
  const first = await client.get(serviceAccounts, { namespace: 'default', name });
  await ensureAccount(client, place);
  const second = await client.get(serviceAccounts, { namespace: 'default', name });
  expect([name, second.metadata.uid]).toEqual(['tart-kubelet-mac-1', first.metadata.uid]);
});

it('mints a token that the API server accepts for this account', async () => {
  await ensureAccount(client, place);
  const token = (await mintToken(client, place)).reveal();
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  expect(await client.review(tokenReviews, review)).toMatchObject({
    status: { authenticated: true, user: { username: 'system:serviceaccount:default:tart-kubelet-mac-1' } },
  });
});

it('writes a kubeconfig that names the file of the token', async () => {
  const text = kubeconfigFor(
    { server: 'https://192.0.2.1:6443', authority: 'a CA' },
    '/etc/muster-agent/token',
  );
  const files: Readonly<Record<string, string>> = { '/k': text, '/etc/muster-agent/token': 'from-the-file' };
  const ports = {
    readFile: (path: string) => Promise.resolve(files[path] ?? ''),
    runProgram: () => Promise.reject(new Error('no program')),
    now: () => 0,
  };
  const connection = await readKubeconfig({ file: '/k' }, ports);
  expect(connection.server).toBe('https://192.0.2.1:6443');
  expect((await connection.credentials.current()).token?.reveal()).toBe('from-the-file');
  expect(text).not.toContain('from-the-file');
});
