/**
 * Each bad webhook over HTTP, with the webhook receiver and a store, one assertion each: on the model in memory, and on
 * a database, which accepts less than the model.
 */
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dispatchServer } from '../../src/dispatch/api/dispatch-server.ts';
import { MemoryStore } from '../../src/dispatch/store/model/memory-store.ts';
import type { JobStore } from '../../src/dispatch/store/port.ts';
import { PostgresStore } from '../../src/dispatch/store/postgres/postgres-store.ts';
import { WebhookReceiver } from '../../src/dispatch/webhooks/receiver.ts';
import type { PoolRoute } from '../../src/dispatch/webhooks/route.ts';
import { Secret } from '../../src/platform/secret.ts';
import { npmDatabase } from '../integration/database/npm-database.ts';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { wallClock } from '../../lab/harness/wall-clock.ts';
import type { BadWebhook } from './bad-webhook.ts';
import { bodies } from './cases/bodies.ts';
import { fields } from './cases/fields.ts';
import { signatures } from './cases/signatures.ts';
import { stories } from './cases/stories.ts';
import { accountId, goodJobId, installationId, payloadOf, payloadWith } from './payload.ts';

const secret = 'the secret';
const pools: readonly PoolRoute[] = [
  {
    name: 'linux',
    dispatchLabel: 'tuist-linux',
    runnerLabels: ['self-hosted'],
    shape: { platform: 'linux', vcpus: 4, memoryGb: 8 },
  },
  {
    name: 'macs',
    dispatchLabel: 'tuist-macos',
    runnerLabels: ['self-hosted'],
    shape: { platform: 'macos', vcpus: 6, memoryGb: 14 },
  },
];

class Harness {
  readonly store: JobStore;
  readonly outcomes: string[] = [];
  readonly faults: unknown[] = [];
  readonly #server;

  constructor(store: JobStore) {
    this.store = store;
    this.#server = dispatchServer({
      ingress: new WebhookReceiver({
        store,
        clock: new TestClock(Date.UTC(2026, 0, 2)),
        secrets: () => [new Secret(secret), new Secret('the older secret')],
        pools: () => pools,
        allowedAccounts: ['*'],
        say: () => undefined,
        counted: (_action, outcome) => void this.outcomes.push(outcome),
      }),
      polls: { poll: async () => ({ kind: 'unauthorized' }) },
      manager: { desiredReplicas: async () => ({ status: 401 }), podStopped: async () => ({ status: 401 }) },
      webhookRejected: () => undefined,
      onFault: (error) => void this.faults.push(error),
    });
  }

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
    respelled = (text) => text,
  }: Partial<BadWebhook>): Promise<number> {
    const payload = Buffer.from(body ?? payloadWith(change));
    const signature = createHmac('sha256', signedWith)
      .update(signedBody ?? payload)
      .digest('hex');
    const all = {
      'x-hub-signature-256': respelled(`sha256=${signature}`),
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

const cases = [...signatures, ...bodies, ...fields, ...stories].map((bad) => [bad.says, bad] as const);

/** The result, and the required result. */
async function outcomeOf(harness: Harness, bad: BadWebhook): Promise<readonly [is: object, mustBe: object]> {
  await harness.setUp(bad.before ?? []);
  const status = await harness.send(bad);
  const job = await harness.store.job(bad.jobId ?? goodJobId);
  const is = {
    status,
    outcomes: harness.outcomes,
    job: job && [job.state, job.conclusion].filter((word) => word !== undefined).join(' '),
    has: { ...job },
    jobs: (await harness.store.jobs({ limit: 10 })).length,
    faults: harness.faults,
  };
  const mustBe = {
    status: bad.status,
    outcomes: bad.outcome === undefined ? [] : [bad.outcome],
    job: bad.job,
    has: { ...job, ...bad.has },
    jobs: bad.job === undefined ? 0 : 1,
    faults: [],
  };
  return [is, mustBe];
}

describe('in memory', () => {
  it.for(cases)('%s', async ([, bad]) => {
    const [is, mustBe] = await outcomeOf(new Harness(new MemoryStore()), bad);
    expect(is).toEqual(mustBe);
  });
});

describe('on the PostgreSQL that npm installs', () => {
  const database = npmDatabase('bad-webhooks');

  it.for(cases)('%s', async ([, bad]) => {
    await sql`truncate accounts, deliveries cascade`.execute(database().db);
    const [is, mustBe] = await outcomeOf(
      new Harness(new PostgresStore(database().db, { clock: wallClock })),
      bad,
    );
    expect(is).toEqual(mustBe);
  });
});
