/** Answers to polls and webhooks over HTTP, with tokens issued and reviewed by the embedded API server. */
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { askServer } from '../../../lab/harness/ask-server.ts';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { labels } from '../../api/names/labels.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Secret } from '../../platform/secret.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import { runnerAudience, RunnerIdentities } from './token-review/runner-identities.ts';
import type { Poll, PollAnswer } from '../assign/assigner.ts';
import { PollHandler } from './poll-handler.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import { WebhookReceiver } from '../webhooks/receiver.ts';
import { dispatchServer } from './dispatch-server.ts';

const podName = 'linux-runner-1a2b3c4d';
const webhookSecret = 'of the webhook';

class Harness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly polls: Poll[] = [];
  readonly store = new MemoryStore();
  readonly faults: unknown[] = [];
  readonly counted: (readonly [pool: string, outcome: string, tookMs: number])[] = [];
  answer: PollAnswer | Error = { kind: 'nothing' };
  tookMs = 0;
  readonly transport: EmbeddedTransport;
  readonly #api: ApiServer;
  readonly #server;

  constructor() {
    const random = new RandomStreams(1).stream('test');
    this.#api = new ApiServer({ clock: this.clock, random, tokenSecret: new Uint8Array(32) });
    this.clock.runDue();
    const limit = new RateLimit(this.clock, { perSecond: 1000, burst: 1000 });
    this.transport = new EmbeddedTransport(this.#api);
    const client = new KubeClient({
      transport: this.transport,
      clock: this.clock,
      limit,
      fieldManager: 'test',
    });
    this.#server = dispatchServer({
      ingress: new WebhookReceiver({
        store: this.store,
        clock: this.clock,
        secrets: () => [new Secret(webhookSecret)],
        pools: () => [],
        allowedAccounts: ['*'],
        say: () => undefined,
        counted: () => undefined,
      }),
      polls: new PollHandler({
        dispatcher: {
          poll: async (poll) => {
            this.polls.push(poll);
            this.clock.jump(this.tookMs);
            if (this.answer instanceof Error) throw this.answer;
            return this.answer;
          },
        },
        identities: new RunnerIdentities({ client, clock: this.clock, namespace: 'runners' }),
        waitMs: 7000,
        clock: this.clock,
        counted: (...counted) => void this.counted.push(counted),
      }),
      manager: {
        desiredReplicas: async () => ({ status: 401 }),
        podStopped: async () => ({ status: 401 }),
      },
      webhookRejected: () => undefined,
      onFault: (error) => void this.faults.push(error),
    });
    this.#ask('POST', '/api/v1/namespaces', { metadata: { name: 'runners' } });
    this.clock.runDue();
  }

  account(name = podName, marks: object = { [labels.runnerPool.key]: 'linux' }): void {
    this.#ask('POST', '/api/v1/namespaces/runners/serviceaccounts', { metadata: { name, labels: marks } });
  }

  /** A namespace where others may create anything, also objects named like a runner's. */
  openNamespaceOfOthers(): void {
    this.#ask('POST', '/api/v1/namespaces', { metadata: { name: 'others' } });
    this.clock.runDue();
    this.#ask('POST', '/api/v1/namespaces/others/serviceaccounts', { metadata: { name: podName } });
  }

  pod(name = podName, account = name, namespace = 'runners'): string {
    const spec = { serviceAccountName: account, containers: [{ name: 'runner', image: 'image' }] };
    const made = this.#ask('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { name }, spec });
    return String(fieldOf(fieldOf(made, 'metadata'), 'uid'));
  }

  token({
    audience = runnerAudience,
    uid = '',
    account = podName,
    pod = podName,
    namespace = 'runners',
  } = {}): string {
    const bound = uid === '' ? {} : { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: pod, uid } };
    const made = this.#ask('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, {
      spec: { audiences: [audience], expirationSeconds: 3600, ...bound },
    });
    return String(fieldOf(fieldOf(made, 'status'), 'token'));
  }

  async poll(authorization?: string) {
    const headers = authorization === undefined ? {} : { authorization };
    return this.#server.inject({
      method: 'POST',
      url: '/api/internal/runners/dispatch',
      headers,
      payload: '{}',
    });
  }

  async webhook(payload: string, headers: Record<string, string> = {}) {
    const signature = createHmac('sha256', webhookSecret).update(payload).digest('hex');
    const usual = {
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-delivery': 'guid-1',
      'x-github-event': 'workflow_job',
      'content-type': 'application/json',
    };
    return this.#server.inject({
      method: 'POST',
      url: '/webhooks/github',
      headers: { ...usual, ...headers },
      payload,
    });
  }

  deletePod(): void {
    this.#ask('DELETE', `/api/v1/namespaces/runners/pods/${podName}`, {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
    });
  }

  #ask(method: 'POST' | 'DELETE', path: string, body: object) {
    return askServer(this.#api, { method, path, body });
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

let harness: Harness;
beforeEach(() => {
  harness = new Harness();
});

describe('a poll', () => {
  it.for([
    ['a registration', { kind: 'served', jitConfig: new Secret('jit'), owner: 'org', jobId: '1' }, 200],
    ['nothing', { kind: 'nothing' }, 204],
    ['drain', { kind: 'drain', reason: 'StaleImage' }, 410],
    ['unauthorized when it is gone', { kind: 'gone' }, 401],
  ] as const)('is answered with %s', async ([, answer, status]) => {
    harness.account();
    harness.answer = answer;
    const response = await harness.poll(`Bearer ${harness.token({ uid: harness.pod() })}`);
    expect(response.statusCode).toBe(status);
    expect(harness.polls).toMatchObject([
      { pool: 'linux', pod: { name: podName }, askedAt: harness.clock.now(), waitMs: 7000 },
    ]);
  });

  it('gets the fields that a runner needs, and no others', async () => {
    harness.account();
    harness.answer = {
      kind: 'served',
      jitConfig: new Secret('jit'),
      owner: 'org',
      jobId: '9007199254740993',
    };
    const response = await harness.poll(`Bearer ${harness.token({ uid: harness.pod() })}`);
    expect(response.json()).toEqual({
      encoded_jit_config: 'jit',
      owner: 'org',
      workflow_job_id: '9007199254740993',
    });
  });

  it.for<readonly [string, (given: Harness) => string | undefined]>([
    ['without a token', () => undefined],
    ['with an unknown token', () => 'Bearer unknown'],
    ['with two words', () => 'Bearer a b'],
    ['with another scheme', (given) => `Basic ${given.token({ uid: given.pod() })}`],
    [
      'with a token for another audience',
      (given) => `Bearer ${given.token({ audience: 'other', uid: given.pod() })}`,
    ],
    ['with a token bound to no Pod', (given) => `Bearer ${given.token()}`],
    [
      'from a Pod that uses the ServiceAccount of another',
      (given) => {
        const name = 'linux-runner-other';
        return `Bearer ${given.token({ pod: name, uid: given.pod(name, podName) })}`;
      },
    ],
    [
      'from a Pod of another namespace with the name of a runner',
      (given) => {
        const namespace = 'others';
        given.openNamespaceOfOthers();
        return `Bearer ${given.token({ namespace, uid: given.pod(podName, podName, namespace) })}`;
      },
    ],
    [
      'with the token of a Pod that is gone',
      (given) => {
        const token = given.token({ uid: given.pod() });
        given.deletePod();
        return `Bearer ${token}`;
      },
    ],
    [
      'with the token of a Pod whose name another Pod has by now',
      (given) => {
        const token = given.token({ uid: given.pod() });
        given.deletePod();
        given.pod();
        return `Bearer ${token}`;
      },
    ],
  ])('%s is refused without reaching the dispatcher', async ([, authorizationOf]) => {
    harness.account();
    const response = await harness.poll(authorizationOf(harness));
    expect([response.statusCode, harness.polls]).toEqual([401, []]);
  });

  it('with a malformed token is refused without a request to the API server', async () => {
    await harness.poll('Bearer unknown');
    expect(harness.transport.requests).toEqual([]);
  });

  it('of a Pod that polls without pause is answered 503', async () => {
    harness.account();
    const authorization = `Bearer ${harness.token({ uid: harness.pod() })}`;
    const statuses = new Set<number>();
    for (let count = 0; count < 30; count += 1) statuses.add((await harness.poll(authorization)).statusCode);
    expect([...statuses]).toEqual([204, 503]);
  });

  it('of a ServiceAccount without a pool is refused', async () => {
    harness.account(podName, {});
    expect((await harness.poll(`Bearer ${harness.token({ uid: harness.pod() })}`)).statusCode).toBe(401);
  });

  it('that cannot be served now is answered 503, without details', async () => {
    harness.account();
    const authorization = `Bearer ${harness.token({ uid: harness.pod() })}`;
    harness.answer = new FleetError('unavailable', {
      reason: 'DatabaseUnavailable',
      message: 'password=hunter2',
    });
    const unavailable = await harness.poll(authorization);
    expect([unavailable.statusCode, unavailable.body.includes('hunter2')]).toEqual([503, false]);
    harness.answer = new Error('password=hunter2');
    const internal = await harness.poll(authorization);
    expect([internal.statusCode, internal.body.includes('hunter2')]).toEqual([500, false]);
    expect(harness.faults).toEqual([harness.answer]);
  });
});

describe('a poll is counted once, by pool and outcome, with its duration:', () => {
  it.for([
    ['nothing', { kind: 'nothing' }],
    ['drain', { kind: 'drain', reason: 'StaleImage' }],
    ['gone', { kind: 'gone' }],
    ['failed', new Error('a fault of ours')],
  ] as const)('%s', async ([outcome, answer]) => {
    harness.account();
    harness.answer = answer;
    harness.tookMs = 1250;
    await harness.poll(`Bearer ${harness.token({ uid: harness.pod() })}`);
    expect(harness.counted).toEqual([['linux', outcome, 1250]]);
  });

  it('without a valid token the pool is empty', async () => {
    await harness.poll('Bearer unknown');
    expect(harness.counted).toEqual([['', 'unauthorized', 0]]);
  });
});

describe('a webhook', () => {
  const installed = JSON.stringify({
    action: 'created',
    installation: { id: 1, account: { id: 3804004623172239366n.toString(), login: 'org' } },
  });

  it('is stored before it is acknowledged', async () => {
    const response = await harness.webhook(installed, { 'x-github-event': 'installation' });
    expect(response.statusCode).toBe(200);
    expect(await harness.store.accounts()).toEqual([{ id: '3804004623172239366', login: 'org' }]);
  });

  it('with another signature is refused before it is read', async () => {
    const response = await harness.webhook('{', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
    expect(response.statusCode).toBe(401);
  });

  it('that is too long is cut off', async () => {
    expect((await harness.webhook('x'.repeat(6 * 1024 * 1024))).statusCode).toBe(413);
  });
});
