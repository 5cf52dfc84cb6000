/** Each bad webhook over the HTTP face, with the ingress and the store behind it: one assertion each. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { dispatchServer } from '../../src/dispatch/http/dispatch-server.ts';
import { MemoryStore } from '../../src/dispatch/store/contract/model/memory-store.ts';
import { Ingress } from '../../src/dispatch/webhooks/ingress.ts';
import type { PoolRoute } from '../../src/dispatch/webhooks/route.ts';
import { Secret } from '../../src/runtime/secret.ts';
import { TestClock } from '../test-clock.ts';
import type { BadWebhook } from './bad-webhook.ts';
import { bodies } from './cases/bodies.ts';
import { fields } from './cases/fields.ts';
import { signatures } from './cases/signatures.ts';
import { stories } from './cases/stories.ts';
import { accountId, goodJobId, installationId, payloadOf, payloadWith } from './payload.ts';

const secret = 'the secret';
const pools: readonly PoolRoute[] = [
  { name: 'linux', dispatchLabel: 'tuist-linux', shape: { platform: 'linux', vcpus: 4, memoryGb: 8 } },
  { name: 'macs', dispatchLabel: 'tuist-macos', shape: { platform: 'macos', vcpus: 6, memoryGb: 14 } },
];

class Stand {
  readonly store = new MemoryStore();
  readonly outcomes: string[] = [];
  readonly faults: unknown[] = [];
  readonly #server = dispatchServer({
    ingress: new Ingress({
      store: this.store,
      clock: new TestClock(Date.UTC(2026, 0, 2)),
      secrets: () => [new Secret(secret), new Secret('the older secret')],
      pools: () => pools,
      counted: (_action, outcome) => void this.outcomes.push(outcome),
    }),
    polls: { poll: async () => ({ kind: 'unauthorized' }) },
    manager: { desiredReplicas: async () => ({ status: 401 }), podStopped: async () => ({ status: 401 }) },
    onFault: (error) => void this.faults.push(error),
  });

  async setUp(before: readonly string[]): Promise<void> {
    const account = { id: accountId, login: 'octo-org' };
    for (const [id, state] of [
      [installationId, 'active'],
      ['79', 'suspended'],
    ] as const)
      await this.store.apply({ kind: 'install', account, installation: { id, accountId, state } });
    for (const [index, action] of before.entries())
      await this.send({ body: payloadOf(action), headers: { 'x-github-delivery': `before-${index}` } });
    this.outcomes.length = 0;
  }

  async send({
    body,
    change,
    headers = {},
    signedBody,
    signedWith = secret,
  }: Partial<BadWebhook>): Promise<number> {
    const payload = Buffer.from(body ?? payloadWith(change));
    const signature = createHmac('sha256', signedWith)
      .update(signedBody ?? payload)
      .digest('hex');
    const all = {
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-delivery': 'this-one',
      'x-github-event': 'workflow_job',
      'content-type': 'application/json',
      ...headers,
    };
    const given = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]] as const],
    );
    const url = '/webhooks/github';
    const answer = await this.#server.inject({
      method: 'POST',
      url,
      headers: Object.fromEntries(given),
      payload,
    });
    return answer.statusCode;
  }
}

it.for([...signatures, ...bodies, ...fields, ...stories].map((bad) => [bad.says, bad] as const))(
  '%s',
  async ([, bad]) => {
    const stand = new Stand();
    await stand.setUp(bad.before ?? []);
    const status = await stand.send(bad);
    const job = await stand.store.job(bad.jobId ?? goodJobId);
    expect({
      status,
      outcomes: stand.outcomes,
      job: job && [job.state, job.conclusion].filter((word) => word !== undefined).join(' '),
      jobs: (await stand.store.jobs({ limit: 10 })).length,
      faults: stand.faults,
    }).toEqual({
      status: bad.status,
      outcomes: bad.outcome === undefined ? [] : [bad.outcome],
      job: bad.job,
      jobs: bad.job === undefined ? 0 : 1,
      faults: [],
    });
  },
);
