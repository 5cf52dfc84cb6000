/** What is refused is asked for less and less often, the MacHost says so, and what is wanted anew is asked for at once. */
import { expect, it } from 'vitest';
import { hostId, HostStand } from '../../../test/host-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import type { Provider } from '../../provider/port.ts';
import { visitWith } from '../../runtime/controller/controller.ts';
import { Notebook } from '../../runtime/controller/notebook.ts';
import type { MacHostObject } from '../../fleet/objects.ts';
import { HostController } from './host.ts';

const orderedAt = '2026-01-01T00:00:00.000Z';
const release = { policy: 'pool', poolPrefix: 'pool-', orderedBy: 'machine', orderedAt };
const wipe = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt, completedAt: orderedAt };
const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };

class RefusingStand extends HostStand {
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
    const notebook = new Notebook(now);
    const harness = { mayMutate: true, mayAct, notebook, now, onFailure: () => undefined };
    this.#visit = visitWith(new HostController(ports), harness);
  }

  /** One visit every ten seconds. */
  async visit(minutes: number): Promise<void> {
    for (let seconds = 0; seconds < minutes * 60; seconds += 10) {
      this.#found = await this.storedHost();
      await this.#visit('host');
      await this.clock.pass(10_000);
    }
  }

  async beginWipe(reason: string, error: { retryInMs?: number } = {}): Promise<void> {
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

it('a name that is refused is asked for again after half a minute, then after twice as long, and so on', async () => {
  const stand = new RefusingStand();
  await stand.begin();
  await stand.visit(4);
  expect(stand.asked).toHaveLength(4);
  await stand.visit(60);
  expect(stand.asked.length).toBeLessThan(12);
});

it('the MacHost says what was refused, and that it is left alone for a while', async () => {
  const stand = new RefusingStand();
  await stand.begin();
  await stand.visit(1);
  const { status } = await stand.storedHost();
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

it('another name is asked for at once, and nothing is said any more when it works', async () => {
  const stand = new RefusingStand();
  await stand.begin();
  await stand.visit(30);
  const before = stand.asked.length;
  stand.answer = () => {
    stand.server = { ...stand.server, name: stand.asked.at(-1) ?? '' };
    return Promise.resolve();
  };
  stand.changeHost({ spec: { release: { poolPrefix: 'spare-' } } });
  await stand.visit(1);
  expect(stand.asked.slice(before)).toEqual([`spare-${stand.server.id}`]);
  const { status } = await stand.storedHost();
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Stalled', status: 'False' }));
});

it('a host whose new name is accepted and never seen does not count as free, and is asked for seldom', async () => {
  const stand = new RefusingStand();
  stand.answer = () => Promise.resolve();
  const machine = await stand.machine('runners-1', {
    metadata: { annotations: { 'muster.dev/host': hostId } },
  });
  stand.living = [machine];
  await stand.host({ claim: { ...claim, uid: machine.metadata.uid }, used: true }, { state: 'Pooled' });
  await stand.visit(4);
  const { status } = await stand.storedHost();
  expect(status).toMatchObject({ state: 'Adopting', reason: 'RenameNotSeen' });
  expect(stand.asked).toHaveLength(4);
});

it('a wipe that the provider refused is asked for again after seconds, and then less often', async () => {
  const stand = new RefusingStand();
  await stand.beginWipe('ServerError');
  await stand.visit(5);
  expect(stand.wipesAskedAt).toEqual([0, 10, 20, 40, 80, 140, 200, 260]);
});

it('a wipe that the provider refused for a while is asked for again when that while is over', async () => {
  const stand = new RefusingStand();
  await stand.beginWipe('RateLimited', { retryInMs: 95_000 });
  await stand.visit(3);
  expect(stand.wipesAskedAt).toEqual([0, 100]);
});

it('a wipe whose answer was lost is not asked for again before it could have been seen to begin', async () => {
  const stand = new RefusingStand();
  await stand.beginWipe('OutcomeUnknown');
  await stand.visit(6);
  expect(stand.wipesAskedAt).toEqual([0, 300]);
});
