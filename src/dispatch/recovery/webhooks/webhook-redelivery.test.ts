import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness } from '../../../../lab/harness/recovery-harness.ts';
import type { HookDelivery } from '../../github/port.ts';
import type { Reply } from '../../github/reply.ts';
import { RestGitHub } from '../../github/rest-github.ts';
import type { Asked } from '../../github/transport.ts';
import { noon } from '../../../../lab/contracts/store/harness.ts';
import { decideRedeliveries, redeliveryLimits, WebhookRedelivery } from './webhook-redelivery.ts';

function attempt(id: string, other: Partial<HookDelivery> = {}): HookDelivery {
  return {
    id,
    guid: `guid of ${id}`,
    event: 'workflow_job',
    deliveredAt: noon,
    wasAccepted: false,
    ...other,
  };
}

describe('a delivery', () => {
  it.for<readonly [string, readonly HookDelivery[], string]>([
    ['that failed is requested again', [attempt('1')], '1'],
    ['that was accepted is not', [attempt('1', { wasAccepted: true })], ''],
    [
      'that was accepted at another attempt is not',
      [attempt('2', { guid: 'g', deliveredAt: noon + 1 }), attempt('1', { guid: 'g', wasAccepted: true })],
      '',
    ],
    [
      'that failed twice is requested by its latest attempt',
      [attempt('1', { guid: 'g' }), attempt('2', { guid: 'g', deliveredAt: noon + 1 })],
      '2',
    ],
    ['of an installation is requested again', [attempt('1', { event: 'installation' })], '1'],
    ['of an irrelevant event is not', [attempt('1', { event: 'push' })], ''],
    ['older than the limit is not', [attempt('1', { deliveredAt: noon - 1 })], ''],
    ['comes after those that failed before', [attempt('1', { deliveredAt: noon + 5 }), attempt('2')], '2 1'],
    [
      'of an installation comes before those of jobs',
      [attempt('1'), attempt('2', { event: 'installation', deliveredAt: noon + 5 })],
      '2 1',
    ],
  ])('%s', ([, deliveries, expected]) => {
    const found = decideRedeliveries(deliveries, noon);
    expect(found.map(({ id }) => id).join(' ')).toBe(expected);
  });
});

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: WebhookRedelivery;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new WebhookRedelivery(harness.ports);
    await harness.clock.pass(minute);
  });
  const taken = (): number => harness.site.hooks.log.filter(({ statusCode }) => statusCode === 200).length;

  it('requests a failed delivery again, once', async () => {
    const before = taken();
    harness.receiver = 503;
    await harness.queueJob({ isKnown: false });
    await harness.clock.pass(minute);
    harness.receiver = 200;
    await harness.round(worker, 5 * minute);
    await harness.round(worker, 5 * minute);
    expect(taken()).toBe(before + 1);
    expect(harness.recovered).toEqual(['redelivered']);
    expect(await harness.outcomes()).toEqual(['redelivered: asked']);
  });

  it('reads back over its own outage', async () => {
    await harness.round(worker, 5 * minute);
    harness.receiver = 503;
    await harness.queueJob({ isKnown: false });
    await harness.round(worker, 120 * minute);
    expect(harness.recovered).toEqual(['redelivered']);
  });

  it('requests all failed deliveries over several runs, and none twice', async () => {
    const before = taken();
    await harness.round(worker, 5 * minute);
    harness.receiver = 503;
    for (let index = 0; index < 7; index += 1) {
      await harness.queueJob({ isKnown: false });
      await harness.clock.pass(minute);
    }
    harness.receiver = 200;
    worker = new WebhookRedelivery(harness.ports, { ...redeliveryLimits, max: 2 });
    for (let round = 1; round <= 3; round += 1)
      // In the last run, the youngest delivery failed longer ago than a run looks back.
      await expect(harness.round(worker, 10 * minute)).rejects.toThrow(`${7 - 2 * round} more deliveries`);
    await harness.round(worker, 10 * minute);
    await harness.round(worker, 10 * minute);
    expect(taken()).toBe(before + 7);
    expect(harness.recovered).toEqual(Array.from({ length: 7 }, () => 'redelivered'));
  });

  it('continues with unrequested deliveries when the others fail again', async () => {
    await harness.round(worker, 5 * minute);
    harness.receiver = 503;
    for (let index = 0; index < 3; index += 1) {
      await harness.queueJob({ isKnown: false });
      await harness.clock.pass(minute);
    }
    const asked: string[] = [];
    const redeliver = harness.github.redeliver.bind(harness.github);
    harness.github.redeliver = async (id) => {
      asked.push(harness.site.hooks.log.find((one) => one.id === id)?.guid ?? '');
      await redeliver(id);
    };
    worker = new WebhookRedelivery(harness.ports, { ...redeliveryLimits, max: 1 });
    for (let round = 0; round < 3; round += 1)
      await expect(harness.round(worker, 5 * minute)).rejects.toMatchObject({ kind: 'notYet' });
    expect(new Set(asked).size).toBe(3);
  });

  it('continues when GitHub refuses a redelivery', async () => {
    harness.receiver = 503;
    await harness.queueJob({ isKnown: false });
    await harness.clock.pass(minute);
    await harness.queueJob({ isKnown: false });
    await harness.clock.pass(minute);
    const deliveries = harness.github.deliveries.bind(harness.github);
    harness.github.deliveries = async (look) => {
      const found = await deliveries(look);
      const unknown = (one: HookDelivery, index: number): HookDelivery =>
        index === 1 ? { ...one, id: '9999999999999999999' } : one;
      return { ...found, deliveries: found.deliveries.map(unknown) };
    };
    await harness.round(worker, minute);
    expect(harness.recovered).toEqual(['redelivered']);
  });
});

/** An App that gets ten webhooks a second. Each delivery is named after its time, in tenths of a second. */
class BusyLog {
  readonly failed = new Set<number>();
  readonly asked: number[] = [];
  pages = 0;
  /** Remaining requests of 5000, as GitHub reports them. */
  left = 5000;
  readonly github: RestGitHub;
  readonly #harness: RecoveryHarness;

  constructor(harness: RecoveryHarness) {
    this.#harness = harness;
    const withToken = (): never => expect.unreachable();
    this.github = new RestGitHub({ asApp: async (asked) => this.#answer(asked), withToken }, harness.clock);
  }

  /** The delivery of this age failed. */
  fail(agoMs: number): number {
    const tick = Math.floor((this.#harness.clock.now() - agoMs) / 100);
    this.failed.add(tick);
    return tick;
  }

  #answer({ route, parameters }: Asked): Reply {
    const headers = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': String(this.left) };
    if (route.startsWith('GET')) return this.#page(parameters['cursor'], headers);
    const tick = Number(parameters['delivery_id']);
    this.asked.push(tick);
    this.failed.delete(tick);
    return { status: 202, body: {}, headers };
  }

  #page(cursor: unknown, quota: Reply['headers']): Reply {
    this.pages += 1;
    const newest = cursor === undefined ? Math.floor(this.#harness.clock.now() / 100) : Number(cursor);
    const body = Array.from({ length: 100 }, (_, index) => this.#delivery(newest - index));
    const link = `<https://api.github.com/x?cursor=${newest - 100}>; rel="next"`;
    return { status: 200, body, headers: { ...quota, link } };
  }

  #delivery(tick: number): object {
    const [status_code, status] = this.failed.has(tick) ? [503, 'failed'] : [200, 'OK'];
    const delivered_at = new Date(tick * 100).toISOString();
    return { id: tick, guid: `guid of ${tick}`, event: 'workflow_job', delivered_at, status_code, status };
  }
}

describe('for an App with very many webhooks', () => {
  let harness: RecoveryHarness;
  let log: BusyLog;
  let worker: WebhookRedelivery;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    log = new BusyLog(harness);
    worker = new WebhookRedelivery({ ...harness.ports, github: log.github });
    await harness.round(worker);
    log.pages = 0;
  });

  it('after an outage a run requests what failed in the pages it may read, and later runs are ordinary', async () => {
    await harness.clock.pass(120 * minute);
    const [young, old] = [log.fail(minute), log.fail(30 * minute)];
    const beyond = log.fail(100 * minute);
    await harness.round(worker, 1);
    expect(log.asked).toEqual([old, young]);
    expect(log.pages).toBe(redeliveryLimits.pagesMax);
    expect(harness.said).toEqual(['stopped reading the delivery log before its end']);
    log.pages = 0;
    await harness.round(worker, 5 * minute);
    expect([log.failed, log.asked.length]).toEqual([new Set([beyond]), 2]);
    // Twenty minutes of the log, at six pages a minute, up to the first delivery that is too old.
    expect(log.pages).toBe(121);
    expect(harness.said).toHaveLength(1);
  });

  it('a run with too many failed deliveries reads no further, and later runs request all that it read', async () => {
    await harness.clock.pass(120 * minute);
    const failed = [3, 2, 1].map((ago) => log.fail(ago * minute));
    worker = new WebhookRedelivery({ ...harness.ports, github: log.github }, { ...redeliveryLimits, max: 2 });
    await expect(harness.round(worker, 1)).rejects.toThrow('1 more deliveries');
    expect(log.pages).toBe(redeliveryLimits.pagesMax);
    await harness.round(worker, 5 * minute);
    expect(log.asked).toEqual(failed);
  });

  it('reads one page once half of the App requests are spent, and the others after the limit resets', async () => {
    const [young, old] = [log.fail(1000), log.fail(5 * minute)];
    log.left = 2499;
    await expect(harness.round(worker, 1)).rejects.toMatchObject({
      kind: 'notYet',
      reason: 'MoreDeliveries',
    });
    expect([log.pages, log.asked]).toEqual([1, [young]]);
    await harness.clock.pass(60 * minute);
    log.pages = 0;
    log.left = 5000;
    worker = new WebhookRedelivery(
      { ...harness.ports, github: log.github },
      { ...redeliveryLimits, pagesMax: 500 },
    );
    await harness.round(worker, 1);
    expect(log.asked).toEqual([young, old]);
    expect(harness.said).toEqual(['stopped reading the delivery log before its end']);
  });

  it('a run that needs only one page still succeeds then', async () => {
    const young = log.fail(1000);
    log.left = 0;
    worker = new WebhookRedelivery(
      { ...harness.ports, github: log.github },
      { ...redeliveryLimits, lookBackMs: 2000 },
    );
    await harness.round(worker, 2000);
    expect([log.pages, log.asked, harness.said]).toEqual([1, [young], []]);
  });
});
