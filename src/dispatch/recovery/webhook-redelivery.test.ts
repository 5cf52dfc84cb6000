import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryStand } from '../../../test/recovery-stand.ts';
import type { HookDelivery } from '../github/port.ts';
import { noon } from '../store/contract/stage.ts';
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
    [
      'of an installation comes before all of jobs',
      [attempt('1'), attempt('2', { event: 'installation', deliveredAt: noon + 5 })],
      '2 1',
    ],
  ])('%s', ([, deliveries, expected]) => {
    const found = decideRedeliveries(deliveries, noon);
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

  it('asks for all of more than one turn asks for, however long that takes, and for none twice', async () => {
    const before = taken();
    await stand.turn(worker, 5 * minute);
    stand.receiver = 503;
    for (let index = 0; index < 7; index += 1) {
      await stand.queueJob({ isKnown: false });
      await stand.clock.pass(minute);
    }
    stand.receiver = 200;
    worker = new WebhookRedelivery(stand.ports, { ...redeliveryLimits, max: 2 });
    for (let turn = 1; turn <= 3; turn += 1)
      // By the last of them the youngest failed longer ago than a turn looks back.
      await expect(stand.turn(worker, 10 * minute)).rejects.toThrow(`${7 - 2 * turn} more deliveries`);
    await stand.turn(worker, 10 * minute);
    await stand.turn(worker, 10 * minute);
    expect(taken()).toBe(before + 7);
    expect(stand.recovered).toEqual(Array.from({ length: 7 }, () => 'redelivered'));
  });

  it('goes on with those that it did not ask for where the others fail again', async () => {
    await stand.turn(worker, 5 * minute);
    stand.receiver = 503;
    for (let index = 0; index < 3; index += 1) {
      await stand.queueJob({ isKnown: false });
      await stand.clock.pass(minute);
    }
    const asked: string[] = [];
    const redeliver = stand.github.redeliver.bind(stand.github);
    stand.github.redeliver = async (id) => {
      asked.push(stand.site.hooks.log.find((one) => one.id === id)?.guid ?? '');
      await redeliver(id);
    };
    worker = new WebhookRedelivery(stand.ports, { ...redeliveryLimits, max: 1 });
    for (let turn = 0; turn < 3; turn += 1)
      await expect(stand.turn(worker, 5 * minute)).rejects.toMatchObject({ kind: 'notYet' });
    expect(new Set(asked).size).toBe(3);
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
