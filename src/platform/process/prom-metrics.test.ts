/** The metrics of each part of the runtime. */
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { ownIdentity as identity } from '../../embedded/kubernetes-api/auth/identity.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { FleetError } from '../errors/fleet-error.ts';
import { visitWith, type Controller } from '../../kube/reconciler/reconciler.ts';
import { DecisionLog } from '../../kube/reconciler/decision-log.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { Informer } from '../../kube/informer/informer.ts';
import { configMaps, type ConfigMap } from '../../kube/client/builtin-resources.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { RateLimit } from '../rate-limit.ts';
import { LeaderLease } from '../../kube/lease/leader-lease.ts';
import { metricCatalogue } from '../../../scripts/generate/metric-catalogue.ts';
import { CountersBy } from '../metrics.ts';
import { KeyedQueue, type Outcome } from '../../kube/work-queue.ts';
import { PromMetrics } from './prom-metrics.ts';

const second = 1000;
const path = '/api/v1/namespaces/default/configmaps';
const random = { next: () => 0.5 };

class Harness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly metrics = new PromMetrics();
  readonly server = new ApiServer({
    clock: this.clock,
    random,
    tokenSecret: new Uint8Array(32),
    controllers: { accounts: 'off', rootCertificates: 'off' },
  });
  readonly transport = new EmbeddedTransport(this.server);

  client(perSecond = 1000): KubeClient {
    const { clock, metrics, transport } = this;
    const limit = new RateLimit(clock, { perSecond, burst: perSecond });
    return new KubeClient({ transport, clock, limit, fieldManager: 'test', metrics });
  }

  write(name: string): void {
    this.server.handle({ identity, method: 'POST', path, query: {}, body: { metadata: { name } } });
  }

  /** The lines of a metric, without its name and without buckets. */
  async shown(name: string): Promise<readonly string[]> {
    const lines = (await this.metrics.text()).split('\n');
    return lines
      .filter((line) => line.startsWith(`muster_${name}`) && !line.includes('_bucket'))
      .map((line) => line.slice('muster_'.length));
  }
}

describe('an informer shows', () => {
  function informerOf(harness: Harness): Informer<ConfigMap> {
    const { clock, metrics } = harness;
    const onListenerFault = (error: unknown): void => {
      throw error;
    };
    const common = { client: harness.client(), clock, random, metrics, onListenerFault };
    return new Informer({ ...common, resource: configMaps, scope: { namespace: 'default' } });
  }

  it('the age and the size of its cache', async () => {
    const harness = new Harness();
    harness.write('a');
    harness.write('b');
    informerOf(harness).start();
    await harness.clock.settle();
    harness.transport.isSilent = true;
    await harness.clock.pass(7 * second);
    expect(await harness.shown('informer_cache')).toEqual([
      'informer_cache_age_seconds{informer="configmaps"} 7',
      'informer_cache_objects{informer="configmaps"} 2',
    ]);
  });

  it('its restarts by reason', async () => {
    const harness = new Harness();
    informerOf(harness).start();
    await harness.clock.settle();
    harness.transport.cut();
    await harness.clock.pass(second);
    harness.transport.isSilent = true;
    await harness.clock.pass(91 * second);
    harness.transport.isSilent = false;
    await harness.clock.pass(400 * second);
    expect(await harness.shown('informer_watch')).toEqual([
      'informer_watch_restarts_total{informer="configmaps",reason="AnswerLost"} 1',
      'informer_watch_restarts_total{informer="configmaps",reason="SilentWatch"} 1',
      'informer_watch_restarts_total{informer="configmaps",reason="Ended"} 1',
    ]);
    await harness.clock.pass(700 * second);
    expect(await harness.shown('informer_relists')).toEqual([
      'informer_relists_total{informer="configmaps"} 2',
    ]);
  });
});

describe('a queue shows', () => {
  function queueOf({ clock, metrics }: Harness, visit: (key: string) => Promise<Outcome>): KeyedQueue {
    return new KeyedQueue({ clock, random, workers: 1, name: 'hosts', metrics }, visit);
  }

  it('the waiting keys and their age', async () => {
    const harness = new Harness();
    const queue = queueOf(harness, () => new Promise(() => undefined));
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await harness.clock.pass(5 * second);
    expect(await harness.shown('queue_depth')).toEqual(['queue_depth{queue="hosts"} 2']);
    expect(await harness.shown('queue_oldest')).toEqual(['queue_oldest_waiting_seconds{queue="hosts"} 5']);
  });

  it('reconciles by result, their duration, and retries', async () => {
    const harness = new Harness();
    const outcomes: Outcome[] = ['backoff', 'now', { at: harness.clock.now() + 60 * second }, 'done'];
    const queue = queueOf(harness, async () => {
      await new Promise<void>((resolve) => void harness.clock.after(2 * second, resolve));
      return outcomes.shift() ?? 'done';
    });
    queue.add('a');
    await harness.clock.pass(120 * second);
    expect(await harness.shown('queue_visit')).toEqual([
      'queue_visits_total{queue="hosts",result="done"} 1',
      'queue_visits_total{queue="hosts",result="now"} 1',
      'queue_visits_total{queue="hosts",result="backoff"} 1',
      'queue_visits_total{queue="hosts",result="later"} 1',
      'queue_visits_total{queue="hosts",result="fault"} 0',
      'queue_visit_seconds_sum{queue="hosts"} 8',
      'queue_visit_seconds_count{queue="hosts"} 4',
    ]);
    expect(await harness.shown('queue_retries')).toEqual(['queue_retries_total{queue="hosts"} 1']);
  });
});

it('a lease shows whether this replica leads, and its failed renewals', async () => {
  const harness = new Harness();
  const { clock, metrics } = harness;
  const place = { namespace: 'default', name: 'manager', identity: 'me' };
  const lease = new LeaderLease({ client: harness.client(), clock, random, metrics, ...place });
  harness.transport.trouble = () => 'refused';
  lease.start();
  await clock.pass(10 * second);
  const quiet = ['leader{lease="manager"} 0', 'lease_renew_failures_total{lease="manager"} 0'];
  expect([...(await harness.shown('leader')), ...(await harness.shown('lease_'))]).toEqual(quiet);
  harness.transport.trouble = () => undefined;
  await clock.pass(3 * second);
  expect(await harness.shown('leader')).toEqual(['leader{lease="manager"} 1']);
  harness.transport.trouble = () => 'refused';
  await clock.pass(60 * second);
  expect(await harness.shown('leader')).toEqual(['leader{lease="manager"} 0']);
  // The leader renews about every 2.25 s and stops leading after 8 s.
  expect(await harness.shown('lease_')).toEqual(['lease_renew_failures_total{lease="manager"} 3']);
});

it('a client shows its requests by verb, resource and status, and the wait for its rate limit', async () => {
  const harness = new Harness();
  const client = harness.client(1);
  const place = { namespace: 'default', name: 'a' };
  const all = Promise.all([client.find(configMaps, place), client.listPage(configMaps, {})]);
  await harness.clock.pass(second);
  await all;
  harness.transport.trouble = () => 'lost';
  const lost = client.create(configMaps, { namespace: 'default' }, { metadata: { name: 'a' } });
  await Promise.all([expect(lost).rejects.toThrow(FleetError), harness.clock.pass(second)]);
  expect(await harness.shown('kube_requests')).toEqual([
    'kube_requests_total{verb="get",resource="configmaps",code="404"} 1',
    'kube_requests_total{verb="list",resource="configmaps",code="200"} 1',
    'kube_requests_total{verb="create",resource="configmaps",code="none"} 1',
  ]);
  expect(await harness.shown('kube_throttled')).toEqual(['kube_throttled_seconds_total 2']);
  expect(await harness.shown('kube_request_seconds_count')).toHaveLength(3);
});

it('a controller shows its plans, its actions by outcome, and its failures by kind', async () => {
  const harness = new Harness();
  const failure = new FleetError('notYet', { reason: 'BillingFloor', message: 'too early' });
  type Action = { readonly kind: string };
  const controller: Controller<string, Action> = {
    name: 'sweep',
    observe: (key) => (key === 'broken' ? Promise.reject(failure) : Promise.resolve(key)),
    plan: () => ({ actions: [{ kind: 'wipe' }, { kind: 'rename' }], notes: [] }),
    act: ({ kind }): Promise<ActionResult> =>
      kind === 'wipe' ? Promise.resolve('requested') : Promise.reject(failure),
    status: () => Promise.resolve(),
  };
  const ports = { decisions: new DecisionLog(() => 0), now: () => 0, metrics: harness.metrics };
  const common = { ...ports, mayMutate: true, onFailure: () => undefined };
  const isLeader = { value: true };
  const visit = visitWith(controller, { ...common, mayAct: () => isLeader.value });
  await visit('a');
  await visit('broken');
  isLeader.value = false;
  await visit('a');
  expect(await harness.shown('controller_')).toEqual([
    'controller_plans_total{controller="sweep"} 2',
    'controller_actions_total{controller="sweep",action="wipe",outcome="requested"} 1',
    'controller_actions_total{controller="sweep",action="rename",outcome="failed"} 1',
    'controller_actions_total{controller="sweep",action="wipe",outcome="skipped"} 1',
    'controller_actions_total{controller="sweep",action="rename",outcome="skipped"} 1',
    'controller_failures_total{controller="sweep",during="act",kind="notYet"} 1',
    'controller_failures_total{controller="sweep",during="observe",kind="notYet"} 1',
  ]);
});

describe('the registry', () => {
  const asked = { type: 'counter', name: 'muster_asked_total', help: 'Asked.', labels: ['by'] } as const;
  const level = { type: 'gauge', name: 'muster_level', help: 'Level.', labels: ['of'] } as const;

  it('is separate, and returns the same instrument twice', async () => {
    const [one, other] = [new Harness(), new Harness()];
    one.metrics.counter(asked, { by: 'a' }).add();
    one.metrics.counter(asked, { by: 'a' }).add(2);
    one.metrics.counter(asked, { by: 'b' });
    other.metrics.counter(asked, { by: 'a' }).add();
    const expected = ['asked_total{by="a"} 3', 'asked_total{by="b"} 0'];
    expect(await one.shown('asked')).toEqual(expected);
    expect(await one.shown('asked')).toEqual(expected);
    expect(await other.shown('asked')).toEqual(['asked_total{by="a"} 1']);
  });

  it('a clock that was set back does not decrease a counter', async () => {
    const harness = new Harness();
    harness.metrics.counter(asked, { by: 'a' }).add(-5);
    expect(await harness.shown('asked')).toEqual(['asked_total{by="a"} 0']);
  });

  it('rejects two readers for one gauge', () => {
    const { metrics } = new Harness();
    metrics.gauge(level, { of: 'a' }, () => 1);
    metrics.gauge(level, { of: 'b' }, () => 1);
    expect(() => metrics.gauge(level, { of: 'a' }, () => 2)).toThrow(
      'muster_level [["of","a"]] has two readers',
    );
  });

  it('ever new reasons of a server do not fill the memory', async () => {
    const harness = new Harness();
    const counters = new CountersBy((by) => harness.metrics.counter(asked, { by }));
    for (let index = 0; index < 1000; index += 1) counters.add(`Reason${index}`);
    const shown = await harness.shown('asked');
    expect(shown).toHaveLength(101);
    expect(shown.at(-1)).toBe('asked_total{by="other"} 900');
  });

  it('external text stays within its label', async () => {
    const harness = new Harness();
    harness.metrics.counter(asked, { by: 'x"} 1\nmuster_leader{lease="y' }).add();
    expect(await harness.shown('asked')).toEqual([
      String.raw`asked_total{by="x\"} 1\nmuster_leader{lease=\"y"} 1`,
    ]);
    expect(await harness.shown('leader')).toEqual([]);
  });

  it('measures the process when asked to', async () => {
    const { metrics } = new Harness();
    metrics.measureProcess();
    const text = await metrics.text();
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds'])
      expect(text).toContain(`# TYPE ${name} gauge`);
  });
});

it('every metric of the catalog has a unique name, a unit if needed, and a help sentence', () => {
  const names = metricCatalogue.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, type, help } of metricCatalogue) {
    expect(help).toMatch(/\.$/);
    // Some names are older than this project, because dashboards of existing fleets use them.
    expect(name).toMatch(/^(muster|scaleway_orphan|capt_scaleway|tuist_runners)_[a-z_]+$/);
    const isCustomary = name.endsWith('_total') === (type === 'counter');
    expect(isCustomary || name.startsWith('tuist_runners_'), name).toBe(true);
  }
});
