/** Cases about registering runners: where, under which names, how often, and what each refusal means. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { failureOf, kindOf, labels, orderFor, type ContractCase } from './run-contract.ts';
import type { Fixture } from './harness.ts';

export const registeringCases: readonly ContractCase[] = [
  {
    rule: 'a runner is registered at the organization, with all digits of its id, and its configuration is not printable',
    proves: async ({ github, tenant }) => {
      const first = await github.register(orderFor(tenant, 'mac-1'));
      const second = await github.register(orderFor(tenant, 'mac-2'));
      expect([first.runnerName, second.runnerName]).toEqual(['mac-1', 'mac-2']);
      expect(BigInt(second.runnerId) - BigInt(first.runnerId)).toBe(1n);
      expect(BigInt(first.runnerId)).toBeGreaterThan(2n ** 53n);
      expect(inspect(first, { depth: 9 })).not.toContain(first.jitConfig.reveal());
      const idle = { place: 'organisation', isOnline: false, isBusy: false, labels };
      expect(await github.runners(tenant)).toEqual([
        { id: first.runnerId, name: 'mac-1', ...idle },
        { id: second.runnerId, name: 'mac-2', ...idle },
      ]);
    },
  },
  {
    rule: 'where the owner is a person, the runner belongs to the repository',
    proves: async ({ github, personal }) => {
      const { runnerId } = await github.register(orderFor(personal));
      expect(await github.runners(personal)).toMatchObject([{ id: runnerId, place: 'repository' }]);
    },
  },
  {
    rule: 'a name in use is a conflict, even when a request with a lost answer registered the name',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      fixture.next({ kind: 'reply-lost' }, 'register runner');
      expect(await failureOf(github.register(orderFor(tenant)))).toMatchObject({
        kind: 'unavailable',
        reason: 'OutcomeUnknown',
      });
      expect(await kindOf(github.register(orderFor(tenant)))).toBe('conflict');
      expect(await kindOf(github.register(orderFor(tenant, 'another')))).toBe('the call did not fail');
    },
  },
  {
    rule: 'without the permission for runners a registration is rejected',
    proves: async (fixture) => {
      fixture.setRunnerPermission(fixture.tenant, false);
      expect(await kindOf(fixture.github.register(orderFor(fixture.tenant)))).toBe('rejected');
    },
  },
  {
    rule: 'a repository that is invisible to the App is gone',
    proves: async ({ github, personal }) => {
      const unknown = { ...personal, repository: 'nobody/nothing' };
      expect(await kindOf(github.register(orderFor(unknown)))).toBe('gone');
      expect(await kindOf(github.register(orderFor({ ...personal, repository: 'no-name' })))).toBe(
        'rejected',
      );
    },
  },
  {
    rule: 'a suspended installation is rejected, a removed installation is gone',
    proves: async (fixture) => {
      const { github, tenant, neighbour } = fixture;
      fixture.suspend(tenant);
      expect(await kindOf(github.register(orderFor(tenant)))).toBe('rejected');
      fixture.uninstall(neighbour);
      expect(await kindOf(github.register(orderFor(neighbour)))).toBe('gone');
    },
  },
];

/** After 25 at once, when the next three may be sent: 1475 in five minutes, in whole milliseconds. */
const roundMs = [204, 407, 611] as const;
/** A waiting registration must have this much time left when it is sent, for GitHub to answer. */
const answerMs = 1000;

/** For a harness whose time stands still while a request is under way. */
export const pacingCases: readonly ContractCase[] = [
  {
    rule: 'an organization gets 25 registrations at once and then nearly five a second; another organization does not wait',
    proves: async (fixture) => {
      const { github, tenant, neighbour } = fixture;
      let done = 0;
      const all = Array.from({ length: 27 }, (_, index) =>
        github.register(orderFor(tenant, `mac-${index}`)).then(() => void (done += 1)),
      );
      await Promise.all(all.slice(0, 25));
      await github.register(orderFor(neighbour));
      expect(done).toBe(25);
      await fixture.pass(roundMs[0]);
      await all[25];
      expect(done).toBe(26);
      await fixture.pass(roundMs[1] - roundMs[0]);
      await all[26];
    },
  },
  {
    rule: 'a registration that would be sent too late is refused at once; a canceled one frees its slot',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const until = (await registerMacs(fixture, 25)) + roundMs[1] + answerMs;
      const leaving = new AbortController();
      const first = failureOf(github.register(orderFor(tenant, 'first'), { until, signal: leaving.signal }));
      const second = github.register(orderFor(tenant, 'second'), { until });
      const refused = await failureOf(github.register(orderFor(tenant, 'third'), { until }));
      expect(refused).toMatchObject({
        kind: 'notYet',
        reason: 'Paced',
        retryAt: until + roundMs[2] - roundMs[1],
      });
      leaving.abort();
      expect(await first).toMatchObject({ kind: 'notYet', reason: 'Paced', retryAt: undefined });
      await fixture.pass(roundMs[0]);
      await second;
      const names = (await github.runners(tenant)).map(({ name }) => name);
      expect(names.filter((name) => !name.startsWith('mac-'))).toEqual(['second']);
    },
  },
  {
    rule: 'nothing is registered for a caller whose deadline is over or that has gone',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const now = await registerMacs(fixture, 1);
      const late = { until: now - 1 };
      const left = { until: now + 9000, signal: AbortSignal.abort() };
      for (const listener of [late, left])
        expect(await failureOf(github.register(orderFor(tenant, 'nobody'), listener))).toMatchObject({
          kind: 'notYet',
          reason: 'Paced',
        });
      expect(await github.runners(tenant)).toHaveLength(1);
    },
  },
];

/** Starts so many registrations at once, named mac-0 and so on; returns the time. */
async function registerMacs(fixture: Fixture, count: number): Promise<number> {
  const names = Array.from({ length: count }, (_, index) => `mac-${index}`);
  await Promise.all(names.map((name) => fixture.github.register(orderFor(fixture.tenant, name))));
  return fixture.now();
}
