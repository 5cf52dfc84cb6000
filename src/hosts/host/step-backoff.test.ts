/**
 * A refused step is retried ever more slowly, the MacHost reports the refusal, and a changed order is tried at once.
 */
import { expect, it } from 'vitest';
import { hostId, HostHarness } from '../../../lab/harness/host-harness.ts';
import type { FailureReason } from '../../api/conditions/reasons.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Provider } from '../provider/port.ts';
import { visitWith } from '../../kube/reconciler/reconciler.ts';
import { DecisionLog } from '../../kube/reconciler/decision-log.ts';
import type { MacHostObject } from '../state/objects.ts';
import { HostController } from './controller.ts';

const orderedAt = '2026-01-01T00:00:00.000Z';
const release = { policy: 'pool', poolPrefix: 'pool-', orderedBy: 'machine', orderedAt };
const wipe = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt, completedAt: orderedAt };
const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };

class RefusingHarness extends HostHarness {
  readonly asked: string[] = [];
  /** In seconds. */
  readonly wipesAskedAt: number[] = [];
  answer: () => Promise<void> = () =>
    Promise.reject(new FleetError('rejected', { reason: 'InvalidArguments', message: 'not that name' }));
  #found: MacHostObject | undefined;
  readonly #visit: (key: string) => Promise<unknown>;

  constructor() {
    super();
    const { client, now } = this;
    const provider: Provider = {
      ...this.provider,
      rename: (_server, name) => {
        this.asked.push(name);
        return this.answer();
      },
      reinstall: () => {
        this.wipesAskedAt.push((this.now() - Date.parse(orderedAt)) / 1000);
        return this.answer();
      },
    };
    const view = () => this.viewOf(...this.living);
    const freshView = () => Promise.resolve(view());
    const find = () => this.#found;
    const mayAct = () => true;
    const [seen, touched] = [() => undefined, () => undefined];
    const ports = { provider, client, find, view, freshView, now, mayAct, seen, touched };
    const decisions = new DecisionLog(now);
    const harness = { mayMutate: true, mayAct, decisions, now, onFailure: () => undefined };
    this.#visit = visitWith(new HostController(ports), harness);
  }

  /** One reconcile every ten seconds. */
  async visit(minutes: number): Promise<void> {
    for (let seconds = 0; seconds < minutes * 60; seconds += 10) {
      this.#found = await this.storedHost();
      await this.#visit('host');
      await this.clock.pass(10_000);
    }
  }

  async beginWipe(reason: FailureReason, error: { retryInMs?: number } = {}): Promise<void> {
    this.server = { ...this.server, name: 'runners-1' };
    this.answer = () => {
      const retryAt = error.retryInMs === undefined ? {} : { retryAt: this.now() + error.retryInMs };
      return Promise.reject(new FleetError('unavailable', { reason, message: 'not now' }, retryAt));
    };
    await this.host({ claim, used: true, release });
  }

  async begin(): Promise<void> {
    this.server = { ...this.server, name: 'runners-1' };
    await this.host({ claim, used: true, release }, { wipe });
  }
}

it('a refused name is retried after half a minute, then after twice as long each time', async () => {
  const harness = new RefusingHarness();
  await harness.begin();
  await harness.visit(4);
  expect(harness.asked).toHaveLength(4);
  await harness.visit(60);
  expect(harness.asked.length).toBeLessThan(12);
});

it('the MacHost reports the refusal and the backoff', async () => {
  const harness = new RefusingHarness();
  await harness.begin();
  await harness.visit(1);
  const { status } = await harness.storedHost();
  expect(status).toMatchObject({ state: 'Reinstalling', reason: 'InvalidArguments' });
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Stalled',
      status: 'True',
      reason: 'BackingOff',
      message: 'not that name',
    }),
  );
});

it('another name is tried at once, and its success clears the condition', async () => {
  const harness = new RefusingHarness();
  await harness.begin();
  await harness.visit(30);
  const before = harness.asked.length;
  harness.answer = () => {
    harness.server = { ...harness.server, name: harness.asked.at(-1) ?? '' };
    return Promise.resolve();
  };
  harness.changeHost({ spec: { release: { poolPrefix: 'spare-' } } });
  await harness.visit(1);
  expect(harness.asked.slice(before)).toEqual([`spare-${harness.server.id}`]);
  const { status } = await harness.storedHost();
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Stalled', status: 'False' }));
});

it('a host whose new name never appears does not count as free, and is retried slowly', async () => {
  const harness = new RefusingHarness();
  harness.answer = () => Promise.resolve();
  const machine = await harness.machine('runners-1', {
    metadata: { annotations: { 'muster.dev/host': hostId } },
  });
  harness.living = [machine];
  await harness.host({ claim: { ...claim, uid: machine.metadata.uid }, used: true }, { state: 'Pooled' });
  await harness.visit(4);
  const { status } = await harness.storedHost();
  expect(status).toMatchObject({ state: 'Adopting', reason: 'RenameNotSeen' });
  expect(harness.asked).toHaveLength(4);
});

it('a refused wipe is retried after seconds, and then less often', async () => {
  const harness = new RefusingHarness();
  await harness.beginWipe('ServerError');
  await harness.visit(5);
  expect(harness.wipesAskedAt).toEqual([0, 10, 20, 40, 80, 140, 200, 260]);
});

it('a wipe refused with a retry time is retried at that time', async () => {
  const harness = new RefusingHarness();
  await harness.beginWipe('RateLimited', { retryInMs: 95_000 });
  await harness.visit(3);
  expect(harness.wipesAskedAt).toEqual([0, 100]);
});

it('a wipe whose answer was lost is retried only after the time in which it could have begun', async () => {
  const harness = new RefusingHarness();
  await harness.beginWipe('OutcomeUnknown');
  await harness.visit(6);
  expect(harness.wipesAskedAt).toEqual([0, 300]);
});
