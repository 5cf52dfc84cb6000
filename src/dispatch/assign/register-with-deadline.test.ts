/** A registration whose answer arrives after the poll, or never. */
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { Secret } from '../../platform/secret.ts';
import type { Registration } from '../github/port.ts';
import { registerInTime } from './register-with-deadline.ts';
import { Cooldowns } from './cooldowns.ts';

const deadlineMs = 9000;
const order = { installationId: '70', repository: 'acme/app', labels: ['linux'], workFolder: '_work' };
const job = { id: '1', accountId: '7' };
const registration: Registration = {
  runnerId: '5',
  runnerName: 'runner-1',
  place: 'organisation',
  jitConfig: new Secret('registration'),
};

class Harness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly cooldowns = new Cooldowns(this.clock);
  readonly answer = Promise.withResolvers<Registration>();
  readonly removed: string[] = [];
  readonly left = new AbortController();

  /** The outcome of the poll: a registration or an error. */
  async register(): Promise<unknown> {
    const { clock, cooldowns, answer, removed, left } = this;
    const github = {
      register: async () => answer.promise,
      removeRunner: async (_tenant: unknown, { id }: { readonly id: string }) => void removed.push(id),
    };
    const listener = { until: clock.now() + deadlineMs, signal: left.signal };
    const ports = { github, clock, cooldowns, newName: () => 'runner-1', say: () => undefined };
    return registerInTime({ order, job, listener }, ports).catch((error: unknown) => error);
  }
}

describe('a registration that is not answered in time', () => {
  it('puts the account on a cooldown longer than its skip', async () => {
    const harness = new Harness();
    const ended = harness.register();
    await harness.clock.pass(deadlineMs);
    expect(await ended).toMatchObject({ kind: 'notYet' });
    await harness.clock.pass(2000);
    expect([...harness.cooldowns.now().accounts]).toEqual([job.accountId]);
  });

  it('ends the cooldown of the account when its answer arrives, and is removed', async () => {
    const harness = new Harness();
    const ended = harness.register();
    await harness.clock.pass(deadlineMs);
    await ended;
    await harness.clock.pass(2000);
    harness.answer.resolve(registration);
    await harness.clock.settle();
    expect([...harness.cooldowns.now().accounts]).toEqual([]);
    expect(harness.removed).toEqual([registration.runnerId]);
  });

  it('starts no cooldown if the Pod disconnected, which proves nothing about GitHub', async () => {
    const harness = new Harness();
    const ended = harness.register();
    harness.left.abort();
    expect(await ended).toMatchObject({ kind: 'notYet' });
    expect([...harness.cooldowns.now().accounts]).toEqual([]);
  });
});
