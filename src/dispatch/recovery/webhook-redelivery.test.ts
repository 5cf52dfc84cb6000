import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryStand } from '../../../test/recovery-stand.ts';
import type { HookDelivery } from '../github/port.ts';
import { noon } from '../store/contract/stage.ts';
import { decideRedeliveries, WebhookRedelivery } from './webhook-redelivery.ts';

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
    ['that failed is asked for again', [attempt('1')], '1'],
    ['that was taken is not', [attempt('1', { wasAccepted: true })], ''],
    [
      'that was taken at another attempt is not',
      [attempt('2', { guid: 'g', deliveredAt: noon + 1 }), attempt('1', { guid: 'g', wasAccepted: true })],
      '',
    ],
    [
      'that failed twice is asked for by its latest attempt',
      [attempt('1', { guid: 'g' }), attempt('2', { guid: 'g', deliveredAt: noon + 1 })],
      '2',
    ],
    ['of an installation is asked for again', [attempt('1', { event: 'installation' })], '1'],
    ['that is none of ours is not', [attempt('1', { event: 'push' })], ''],
    ['that is older than asked is not', [attempt('1', { deliveredAt: noon - 1 })], ''],
    ['comes after those that failed before', [attempt('1', { deliveredAt: noon + 5 }), attempt('2')], '2 1'],
    ['is one of a few at once', ['1', '2', '3', '4'].map((id) => attempt(id)), '1 2 3'],
  ])('%s', ([, deliveries, expected]) => {
    const found = decideRedeliveries(deliveries, { since: noon, max: 3 });
    expect(found.map(({ id }) => id).join(' ')).toBe(expected);
  });
});

describe('the worker', () => {
  let stand: RecoveryStand;
  let worker: WebhookRedelivery;
  beforeEach(async () => {
    stand = new RecoveryStand();
    worker = new WebhookRedelivery(stand.ports);
    await stand.clock.pass(minute);
  });
  const taken = (): number => stand.site.hooks.log.filter(({ statusCode }) => statusCode === 200).length;

  it('has GitHub send again what we could not take, once', async () => {
    const before = taken();
    stand.receiver = 503;
    await stand.queueJob({ isKnown: false });
    await stand.clock.pass(minute);
    stand.receiver = 200;
    await stand.turn(worker, 5 * minute);
    await stand.turn(worker, 5 * minute);
    expect(taken()).toBe(before + 1);
    expect(stand.recovered).toEqual(['redelivered']);
    expect(await stand.outcomes()).toEqual(['redelivered: asked']);
  });

  it('looks back over an outage of its own', async () => {
    await stand.turn(worker, 5 * minute);
    stand.receiver = 503;
    await stand.queueJob({ isKnown: false });
    await stand.turn(worker, 120 * minute);
    expect(stand.recovered).toEqual(['redelivered']);
  });

  it('goes on when GitHub does not want to send one again', async () => {
    stand.receiver = 503;
    await stand.queueJob({ isKnown: false });
    await stand.clock.pass(minute);
    await stand.queueJob({ isKnown: false });
    await stand.clock.pass(minute);
    const deliveries = stand.github.deliveries.bind(stand.github);
    stand.github.deliveries = async (since) =>
      (await deliveries(since)).map((one, index) =>
        index === 1 ? { ...one, id: '9999999999999999999' } : one,
      );
    await stand.turn(worker, minute);
    expect(stand.recovered).toEqual(['redelivered']);
  });
});
