/** Events on a real kube-apiserver: valid, and one object for a hundred repetitions. */
import { expect, it } from 'vitest';
import { configMaps } from '../client/builtin-resources.ts';
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../../test/reference/describe-integration.ts';
import { anyRandom as random, wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { KubeClient } from '../client/client.ts';
import { fixed } from '../client/credential-sources.ts';
import { HttpTransport } from '../client/http-transport.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Secret } from '../../platform/secret.ts';
import { events } from './event-object.ts';
import { EventRecorder } from './events.ts';
import { subjectOf, type Subject } from './event-draft.ts';

const namespace = 'default';

async function setUp({ bench, workplace }: Harness) {
  const kube = await startKubeFrom(bench, { workplace });
  const { certificate, key } = await kube.authority.client('recorder', ['system:masters']);
  const credentials = fixed({ certificate: { pem: certificate, key: new Secret(key) } });
  const connection = { server: kube.url, authority: kube.authority.certificate, credentials };
  const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  return { client, close: () => transport.close() };
}

await describeIntegration({ name: 'events on kube-apiserver', by: 'kube', setUp }, (given) => {
  const failures: unknown[] = [];
  const recorderOf = (): EventRecorder =>
    new EventRecorder({
      client: given().client,
      clock,
      random,
      component: 'test',
      onFailure: (error) => void failures.push(error),
    });
  const eventsOf = async ({ uid }: Subject) => {
    const fieldSelector = `involvedObject.uid=${uid}`;
    return (await given().client.listPage(events, { namespace, fieldSelector })).items;
  };

  it('a hundred repetitions are one Event with that count, although it was deleted meanwhile', async () => {
    const { client, close } = given();
    const object = await client.create(configMaps, { namespace }, { metadata: { name: 'a' } });
    const subject = subjectOf(configMaps, object);
    const recorder = recorderOf();
    const repeat = async (times: number): Promise<void> => {
      for (let round = 0; round < times; round += 1)
        recorder.record({
          subject,
          type: 'Warning',
          reason: 'Unequal',
          message: 'its box holds another text',
        });
      await recorder.flush();
    };
    await repeat(30);
    await repeat(30);
    for (const { metadata } of await eventsOf(subject))
      await client.delete(events, { namespace, name: metadata.name }, { uid: metadata.uid });
    await repeat(40);
    expect(await eventsOf(subject)).toMatchObject([
      { count: 100, type: 'Warning', reason: 'Unequal', source: { component: 'test' } },
    ]);
    const node = { apiVersion: 'v1', kind: 'Node', name: 'n'.repeat(253), uid: 'uid-of-a-node' };
    recorder.record({ subject: node, type: 'Normal', reason: 'Seen', message: 'x'.repeat(5000) });
    await recorder.flush();
    expect(await eventsOf(node)).toHaveLength(1);
    expect(failures).toEqual([]);
    await close();
  });
});
