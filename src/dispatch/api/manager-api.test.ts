/**
 * Answers to the manager and to other callers over HTTP, with tokens issued and reviewed by the embedded API server.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { askServer } from '../../../lab/harness/ask-server.ts';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { managerAudience } from '../../api/names/audiences.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import { RunnerIdentities } from './token-review/runner-identities.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import { draft, noon, podOf, Fixture } from '../../../lab/contracts/store/harness.ts';
import { dispatchServer } from './dispatch-server.ts';
import { ManagerApi } from './manager-api.ts';
import { readStopped } from './pod-end-body.ts';

const stoppedUrl = '/api/internal/runners/pods/stopped';
const replicasUrl = '/api/internal/runners/desired_replicas';
const podName = 'linux-runner-1a2b3c4d';
const canary = 'cAnary7f3a7f3a7f3a7f3a';
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n${canary}\n-----END RSA PRIVATE KEY-----`;

class Harness {
  readonly clock = new TestClock(noon);
  readonly store = new MemoryStore();
  readonly setup = new Fixture(this.store);
  readonly looks: string[] = [];
  readonly #tokens = new Map<string, string>();
  readonly #api: ApiServer;
  readonly #server;

  constructor() {
    const { clock, store } = this;
    this.#api = new ApiServer({
      clock,
      random: new RandomStreams(1).stream('test'),
      tokenSecret: new Uint8Array(32),
    });
    const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
    const transport = new EmbeddedTransport(this.#api);
    const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
    const identities = new RunnerIdentities({ client, clock, namespace: 'runners' });
    this.#server = dispatchServer({
      ingress: { receive: async () => expect.fail('this is no webhook') },
      polls: { poll: async () => expect.fail('this is no poll') },
      manager: new ManagerApi({
        store,
        identities,
        clock,
        manager: { namespace: 'muster-system', name: 'muster-manager' },
        podEnded: ({ jobs }) => void this.looks.push(...jobs.map(({ id }) => id)),
      }),
      webhookRejected: () => undefined,
      onFault: (error) => expect.fail(String(error)),
    });
    for (const name of ['runners', 'muster-system']) this.#post('/api/v1/namespaces', { metadata: { name } });
    clock.runDue();
  }

  token(namespace = 'muster-system', name = 'muster-manager'): string {
    const known = this.#tokens.get(`${namespace}/${name}`) ?? this.newToken(namespace, name);
    this.#tokens.set(`${namespace}/${name}`, known);
    return known;
  }

  /** Without audiences the token is for the API server itself. */
  newToken(namespace: string, name: string, spec: object = { audiences: [managerAudience] }): string {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    this.#post(accounts, { metadata: { name } });
    const made = this.#post(`${accounts}/${name}/token`, { spec });
    return /"token":"([^"]+)"/.exec(JSON.stringify(made))?.[1] ?? '';
  }

  /** A Pod with a registration; returns the id of its job. */
  async serve(): Promise<string> {
    await this.setup.account('7');
    await this.setup.queued(draft('1'));
    await this.setup.serve(podName, 'runner-a');
    return '1';
  }

  async stopped(body: unknown, token = this.token()) {
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return this.#server.inject({ method: 'POST', url: stoppedUrl, headers, payload });
  }

  async replicas(query: string, authorization = `Bearer ${this.token()}`) {
    return this.#server.inject({ method: 'GET', url: `${replicasUrl}${query}`, headers: { authorization } });
  }

  #post(path: string, body: object) {
    return askServer(this.#api, { method: 'POST', path, body });
  }
}

let harness: Harness;
beforeEach(() => {
  harness = new Harness();
});
const report = { pod_name: podName, pod_uid: podOf(podName).uid, ended_at: '2026-01-01T00:00:00Z' };

describe('how many Pods a pool could use', () => {
  it('is answered to any ServiceAccount of the cluster', async () => {
    await harness.serve();
    await harness.setup.queued(draft('2'));
    const answer = await harness.replicas('?fleet=linux', `Bearer ${harness.token('runners', 'other')}`);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { fleet: 'linux', claimed: 1, queued: 1, p95_concurrent_last_hour: 0, occupied: 1, withheld: 0 },
    ]);
  });

  it.for([
    ['without a pool', ''],
    ['with an empty pool', '?fleet='],
    ['with two pools', '?fleet=a&fleet=b'],
    ['with an invalid name', '?fleet=%00'],
  ])('is refused %s', async ([, query]) => {
    expect((await harness.replicas(query ?? '')).statusCode).toBe(400);
  });

  it('is refused to other callers, whatever they request', async () => {
    expect((await harness.replicas('', 'Bearer unknown')).statusCode).toBe(401);
    expect((await harness.replicas('?fleet=linux', '')).statusCode).toBe(401);
  });

  it.for([
    ['for the API server', {}],
    ['for runners', { audiences: ['tuist-runners-dispatch'] }],
  ] as const)('is refused to a token %s, and so is its report of an ended Pod', async ([, spec]) => {
    await harness.serve();
    const token = harness.newToken('muster-system', 'muster-manager', spec);
    expect((await harness.replicas('?fleet=linux', `Bearer ${token}`)).statusCode).toBe(401);
    expect((await harness.stopped(report, token)).statusCode).toBe(401);
    expect(await harness.store.openSessions()).toHaveLength(1);
  });

  it('is not answered while the database is down', async () => {
    harness.store.signals = async () => {
      throw new FleetError('unavailable', { reason: 'DatabaseUnavailable', message: 'away' });
    };
    expect((await harness.replicas('?fleet=linux')).statusCode).toBe(503);
  });
});

describe('a report that a Pod has ended', () => {
  it('closes the session, stores the ending, and queries GitHub for the job', async () => {
    const id = await harness.serve();
    const ending = { exit_code: 137, reason: 'OOMKilled', log_tail: 'one\ntwo' };
    expect((await harness.stopped({ ...report, ...ending })).statusCode).toBe(204);
    expect(await harness.store.openSessions()).toEqual([]);
    expect(await harness.store.claims()).toEqual([]);
    expect((await harness.store.job(id))?.ending).toEqual({
      exitCode: 137,
      reason: 'OOMKilled',
      logTail: 'one\ntwo',
    });
    expect(harness.looks).toEqual(['1']);
    expect((await harness.stopped(report)).statusCode).toBe(204);
  });

  it('without a uid ends the Pods with this name that existed then', async () => {
    await harness.serve();
    const { pod_uid: _, ...byName } = report;
    await harness.stopped({ ...byName, ended_at: '2025-12-31T23:59:59Z' });
    expect(await harness.store.openSessions()).toHaveLength(1);
    await harness.stopped({ ...byName, pod_name: 'linux-runner-other' });
    expect(await harness.store.openSessions()).toHaveLength(1);
    await harness.stopped(byName);
    expect(await harness.store.openSessions()).toEqual([]);
  });

  it('of another uid changes nothing', async () => {
    await harness.serve();
    expect((await harness.stopped({ ...report, pod_uid: 'another' })).statusCode).toBe(204);
    expect(await harness.store.openSessions()).toHaveLength(1);
  });

  it.for<readonly [string, number, () => string]>([
    ['an unknown caller', 401, () => 'unknown'],
    ['a runner', 403, () => harness.token('runners', podName)],
    ['a namesake of the manager', 403, () => harness.token('runners', 'muster-manager')],
    ['a neighbour of the manager', 403, () => harness.token('muster-system', 'other')],
  ])('is not believed from %s', async ([, status, tokenOf]) => {
    await harness.serve();
    expect((await harness.stopped(report, tokenOf())).statusCode).toBe(status);
    expect(await harness.store.openSessions()).toHaveLength(1);
  });

  it.for<readonly [string, unknown]>([
    ['that is empty', ''],
    ['that is no JSON', '{'],
    ['that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['that is a list', []],
    ['that is null', 'null'],
    ['without a name', { ...report, pod_name: undefined }],
    ['with an invalid name', { ...report, pod_name: '../other' }],
    ['with a name that is a number', { ...report, pod_name: 5 }],
    ['with an invalid uid', { ...report, pod_uid: 'a\u0000b' }],
    ['with an empty uid', { ...report, pod_uid: '' }],
    ['without a time', { ...report, ended_at: undefined }],
    ['with an invalid time', { ...report, ended_at: 'yesterday' }],
    ['with a time without a zone', { ...report, ended_at: '2026-01-01T00:00:00' }],
    ['with a time in numbers', { ...report, ended_at: noon }],
    ['with an exit code that is a text', { ...report, exit_code: '1' }],
    ['with a fractional exit code', { ...report, exit_code: 1.5 }],
    ['with an exit code beyond the database column', { ...report, exit_code: 2 ** 40 }],
    ['with a reason that is a list', { ...report, reason: [] }],
    ['with a log that is an object', { ...report, log_tail: {} }],
  ])('in a body %s is a bad request', async ([, body]) => {
    await harness.serve();
    const answer = await harness.stopped(body);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'bad_request' }]);
    expect(await harness.store.openSessions()).toHaveLength(1);
  });

  it('in a body that is too long is cut off', async () => {
    expect((await harness.stopped({ ...report, log_tail: 'x'.repeat(600_000) })).statusCode).toBe(413);
  });

  it('may have unknown fields, and null in known fields', async () => {
    const nothing = { pod_uid: null, exit_code: null, reason: null, log_tail: null };
    expect((await harness.stopped({ ...report, ...nothing, node: 'mac-1' })).statusCode).toBe(204);
  });

  it('is not accepted while the database is down', async () => {
    harness.store.podStopped = async () => {
      throw new FleetError('unavailable', { reason: 'DatabaseUnavailable', message: 'away' });
    };
    expect((await harness.stopped(report)).statusCode).toBe(503);
  });
});

describe('of the ending', () => {
  const read = (other: object) => {
    const found = readStopped(new TextEncoder().encode(JSON.stringify({ ...report, ...other })), noon);
    if ('problem' in found) throw new Error(found.problem);
    return found;
  };

  it('a time in the future becomes now', () => {
    expect(read({ ended_at: '2999-01-01T00:00:00Z' }).endedAt).toBe(noon);
    expect(read({ ended_at: '2025-12-31T23:00:00+01:00' }).endedAt).toBe(noon - 7_200_000);
  });

  it('nothing is stored if nothing is reported', () => {
    expect(read({}).ending).toBeUndefined();
    expect(read({ exit_code: 0 }).ending).toEqual({ exitCode: 0, reason: '', logTail: '' });
  });

  it('the last 200 lines are kept, and of these the last 64 KiB', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`);
    const kept = read({ log_tail: lines.join('\n') }).ending?.logTail.split('\n');
    expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([200, 'line 100', 'line 299']);
    const long = read({ log_tail: `${'é'.repeat(60_000)}!` }).ending?.logTail ?? '';
    expect(new TextEncoder().encode(long).length).toBeLessThanOrEqual(64 * 1024);
    expect([long.startsWith('é'), long.endsWith('é!'), long.length]).toEqual([true, true, 32_768]);
  });

  it('control characters and NUL are removed; line breaks and tabs stay', () => {
    const { ending } = read({ log_tail: 'a\u001b[2Jb\u0000c\n\td', reason: `x\u0007${'y'.repeat(500)}` });
    expect(ending?.logTail).toBe('a [2Jb c\n\td');
    expect([ending?.reason.startsWith('x yyy'), ending?.reason.length]).toEqual([true, 200]);
  });

  it.for([
    ['in a line of the log', { log_tail: `./run.sh --jitconfig ${canary}\npass: ${canary}` }],
    ['across the first byte that is kept', { log_tail: `token=${canary}${'x'.repeat(64 * 1024 - 4)} end` }],
    ['across the first line that is kept', { log_tail: `${pem}${'\nline'.repeat(198)}` }],
    ['in the rest of a private key', { log_tail: pem.slice(30) }],
    ['in the reason', { reason: `pwd=${canary}` }],
    ['across the end of the reason', { reason: `${'y '.repeat(92)}token=${canary}` }],
  ])('no secret is kept: %s', ([, said]) => {
    const kept = JSON.stringify(read(Object(said)));
    expect(kept).toContain('[secret');
    expect(kept).not.toMatch(/7f3a|cAn/);
  });
});
