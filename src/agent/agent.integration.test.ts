/** A real kube-apiserver takes what a simulated agent writes, and the real scheduler gives it Pods. */
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../test/reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../test/reference/describe-integration.ts';
import { anyRandom as random, wallClock as clock } from '../../lab/harness/wall-clock.ts';
import { leases, nodes, pods, serviceAccounts, tokenReviews } from '../kube/client/builtin-resources.ts';
import { KubeClient } from '../kube/client/client.ts';
import { fixed } from '../kube/client/credential-sources.ts';
import { HttpTransport } from '../kube/client/http-transport.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { Secret } from '../platform/secret.ts';
import type { ContainerOrder, ContainerEnd } from './drivers/port.ts';
import { Agent } from './agent.ts';

const namespace = 'default';
const patience = { timeout: 240_000, interval: 100 };
const node = { name: 'linux-1', os: 'linux', fleet: 'runners-linux', cpus: 8, memoryMb: 16_384 } as const;
const audience = 'tuist-runners-dispatch';

async function setUp({ bench, workplace }: Harness) {
  const alsoRun = ['controller-manager', 'scheduler'] as const;
  const kube = await startKubeFrom(bench, { workplace, alsoRun });
  const { certificate: pem, key } = await kube.authority.client('agents', ['system:masters']);
  const credentials = fixed({ certificate: { pem, key: new Secret(key) } });
  const connection = { server: kube.url, authority: kube.authority.certificate, credentials };
  const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  return { client: new KubeClient({ transport, clock, limit, fieldManager: 'agent' }) };
}

interface StoryContext {
  readonly agent: Agent;
  readonly started: ReadonlyMap<string, { container: ContainerOrder; end: (end: ContainerEnd) => void }>;
  readonly troubles: readonly string[];
}

function begin(client: KubeClient): StoryContext {
  const started = new Map<string, { container: ContainerOrder; end: (end: ContainerEnd) => void }>();
  const troubles: string[] = [];
  const agent = new Agent({
    client,
    clock,
    random,
    node,
    heartbeatMs: 1000,
    driver: ({ name }) => ({
      run: (container, { term }) => {
        const { promise, resolve } = Promise.withResolvers<ContainerEnd>();
        term.addEventListener('abort', () => resolve({ exitCode: 143 }));
        started.set(`${name} ${container.name}`, { container, end: resolve });
        return promise;
      },
    }),
    log: (text) => void troubles.push(text),
    onFault: (error) => expect.fail(String(error)),
  });
  agent.start();
  return { agent, started, troubles };
}

async function makePod(client: KubeClient, name: string): Promise<void> {
  const source = { serviceAccountToken: { audience, expirationSeconds: 3600, path: 'token' } };
  await client.create(serviceAccounts, { namespace }, { metadata: { name } });
  const spec = {
    restartPolicy: 'Never',
    serviceAccountName: name,
    automountServiceAccountToken: false,
    nodeSelector: { 'node.cluster.x-k8s.io/pool': 'runners-linux' },
    tolerations: [{ key: 'tuist.dev/runner-tier', value: 'bare-metal', effect: 'NoSchedule' }],
    volumes: [{ name: 'token', projected: { sources: [source] } }],
    initContainers: [
      { name: 'dind', image: 'dind', restartPolicy: 'Always' },
      { name: 'poller', image: 'runner', volumeMounts: [{ name: 'token', mountPath: '/token' }] },
    ],
    containers: [{ name: 'runner', image: 'runner' }],
  };
  await client.create(pods, { namespace }, { metadata: { name }, spec });
}

await describeIntegration({ name: 'agents on kube-apiserver', by: 'kube', setUp }, (given) => {
  it('a Pod is put on the Node, runs to its end, and another is deleted; nothing that is written is refused', async () => {
    const { client } = given();
    const { agent, started, troubles } = begin(client);
    const phaseOf = async (name: string) => (await client.find(pods, { namespace, name }))?.status?.phase;
    await makePod(client, 'a');
    await expect.poll(() => started.has('a poller'), patience).toBe(true);
    expect(await phaseOf('a')).toBe('Pending');
    const token = await started.get('a poller')?.container.token?.();
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: token?.reveal(), audiences: [audience] },
    };
    expect(await client.review(tokenReviews, review)).toMatchObject({ status: { authenticated: true } });
    started.get('a poller')?.end({ exitCode: 0 });
    await expect.poll(() => phaseOf('a'), patience).toBe('Running');
    started.get('a runner')?.end({ exitCode: 0 });
    await expect.poll(() => phaseOf('a'), patience).toBe('Succeeded');
    await makePod(client, 'b');
    await expect.poll(() => started.has('b poller'), patience).toBe(true);
    const { metadata } = await client.get(pods, { namespace, name: 'b' });
    await client.delete(pods, { namespace, name: 'b' }, { uid: metadata.uid });
    await expect.poll(() => phaseOf('b'), patience).toBeUndefined();
    const lease = { namespace: 'kube-node-lease', name: node.name };
    await expect.poll(() => client.find(leases, lease), patience).toBeDefined();
    expect((await client.get(nodes, { name: node.name })).spec?.taints).toHaveLength(1);
    await agent.stop();
    expect(troubles).toEqual([]);
  });

  it('after a crash a Pod that was running has failed', async () => {
    const { client } = given();
    const first = begin(client);
    await makePod(client, 'c');
    await expect.poll(() => first.started.has('c poller'), patience).toBe(true);
    await first.agent.stop();
    const second = begin(client);
    await expect
      .poll(async () => (await client.get(pods, { namespace, name: 'c' })).status?.reason, patience)
      .toBe('AgentRestarted');
    expect(second.started.size).toBe(0);
    await second.agent.stop();
  });
});
