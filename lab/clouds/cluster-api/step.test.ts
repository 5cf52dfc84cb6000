import { expect, it } from 'vitest';
import { EmbeddedTransport } from '../../harness/embedded-transport.ts';
import { TestClock } from '../../harness/test-clock.ts';
import { ApiServer } from '../../../src/embedded/kubernetes-api/server.ts';
import { configMaps } from '../../../src/kube/client/builtin-resources.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { RateLimit } from '../../../src/platform/rate-limit.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import { confirmAndApply, placeOf, type Step } from './step.ts';

const namespace = 'default';

function clientOfItsOwn(): KubeClient {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const random = new RandomStreams(1).stream('server');
  const transport = new EmbeddedTransport(new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) }));
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  return new KubeClient({ transport, clock, limit, fieldManager: 'test' });
}

function draft(name: string, finalizers: readonly string[] = []) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers } };
}

it.for([
  ['stays', true],
  ['is leaving', false],
  ['is gone', false],
  ['is gone and another object has its name', false],
] as const)('while its owner %s an object is made: %s', async ([what, isMade]) => {
  const client = clientOfItsOwn();
  const finalizers = what === 'is leaving' ? ['test.muster.dev/held'] : [];
  const object = await client.create(configMaps, { namespace }, draft('owner', finalizers));
  if (what !== 'stays') await client.delete(configMaps, placeOf(object), { uid: object.metadata.uid });
  if (what.endsWith('name')) await client.create(configMaps, { namespace }, draft('owner'));
  const owner = { resource: configMaps, object };
  const step: Step = { kind: 'create', resource: configMaps, owner, body: draft('made') };
  expect(await confirmAndApply(client, step)).toBe(isMade ? 'requested' : 'precondition-lost');
  expect((await client.find(configMaps, { namespace, name: 'made' })) !== undefined).toBe(isMade);
});
