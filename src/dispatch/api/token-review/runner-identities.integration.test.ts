/** Tokens of the real kube-apiserver are signed with the keys that it publishes, in the form that dispatch checks. */
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../../../test/reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../../../test/reference/describe-integration.ts';
import { wallClock as clock } from '../../../../lab/harness/wall-clock.ts';
import { labels } from '../../../api/names/labels.ts';
import { pods, serviceAccounts } from '../../../kube/client/builtin-resources.ts';
import { KubeClient } from '../../../kube/client/client.ts';
import { fixed } from '../../../kube/client/credential-sources.ts';
import { fieldsOf } from '../../../kube/client/fields.ts';
import { HttpTransport } from '../../../kube/client/http-transport.ts';
import { RateLimit } from '../../../platform/rate-limit.ts';
import { Secret } from '../../../platform/secret.ts';
import { keysPath, PublishedKeys } from './published-keys.ts';
import { runnerAudience, RunnerIdentities } from './runner-identities.ts';

const namespace = 'default';
const name = 'linux-runner-1';

async function setUp({ bench, workplace }: Harness) {
  const kube = await startKubeFrom(bench, { workplace });
  const { certificate: pem, key } = await kube.authority.client('someone', ['system:masters']);
  const connection = {
    server: kube.url,
    authority: kube.authority.certificate,
    credentials: fixed({ certificate: { pem, key: new Secret(key) } }),
  };
  const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  return { client: new KubeClient({ transport, clock, limit, fieldManager: 'test' }) };
}

await describeIntegration({ name: 'tokens of kube-apiserver', by: 'kube', setUp }, (given) => {
  it('are verified by the published keys, and identify their Pod', async () => {
    const { client } = given();
    const metadata = { name, labels: { [labels.runnerPool.key]: 'linux' } };
    await client.create(serviceAccounts, { namespace }, { metadata });
    const spec = { serviceAccountName: name, containers: [{ name: 'runner', image: 'example.com/image' }] };
    const pod = await client.create(pods, { namespace }, { metadata, spec });
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name, uid: pod.metadata.uid };
    const answer = await client.review(
      serviceAccounts,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [runnerAudience], expirationSeconds: 3600, boundObjectRef },
      },
      { namespace, name, subresource: 'token' },
    );
    const token = String(fieldsOf(fieldsOf(answer)['status'])['token']);
    const keys = new PublishedKeys({ read: async () => client.published(keysPath, 'jwks', true), clock });
    expect(await keys.prove(token)).toBe('signed');
    expect(await keys.prove(`${token.slice(0, -8)}AAAAAAAA`)).toBe('forged');
    const identities = new RunnerIdentities({ client, clock, namespace });
    expect(await identities.runner(token)).toEqual({ pool: 'linux', pod: { name, uid: pod.metadata.uid } });
  });
});
