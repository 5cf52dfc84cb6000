/** Cases about reading GitHub: jobs, runners, deliveries, installations, in pages and with all digits. */
import { expect } from 'vitest';
import type { Secret } from '../../../src/platform/secret.ts';
import { kindOf, labels, orderFor, type ContractCase } from './run-contract.ts';
import type { Fixture } from './harness.ts';

const minute = 60_000;
const pagesMax = 10;

async function runner(fixture: Fixture, name: string): Promise<{ jitConfig: Secret; runnerId: string }> {
  return fixture.github.register(orderFor(fixture.tenant, name));
}

const jobCases: readonly ContractCase[] = [
  {
    rule: 'a job is returned with its state, and with its runner and its times once it has them',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const id = fixture.queueJob(tenant, labels);
      const nobody = { id, conclusion: undefined, runnerName: undefined, startedAt: undefined };
      expect(await github.job(tenant, id)).toEqual({ ...nobody, status: 'queued', completedAt: undefined });
      fixture.startRunner((await runner(fixture, 'mac-1')).jitConfig, 5 * minute);
      await fixture.pass(minute);
      const started = await github.job(tenant, id);
      expect(started).toMatchObject({ status: 'in_progress', runnerName: 'mac-1' });
      await fixture.pass(10 * minute);
      expect(await github.job(tenant, id)).toEqual({
        ...started,
        status: 'completed',
        conclusion: 'success',
        completedAt: (started.startedAt ?? 0) + 5 * minute,
      });
    },
  },
  {
    rule: 'a job that was canceled before its start has neither a runner nor a start time',
    proves: async (fixture) => {
      const id = fixture.queueJob(fixture.tenant, labels);
      fixture.cancelJob(id);
      expect(await fixture.github.job(fixture.tenant, id)).toMatchObject({
        status: 'completed',
        conclusion: 'cancelled',
        runnerName: undefined,
        startedAt: undefined,
      });
    },
  },
  {
    rule: 'two jobs whose ids differ in the last digit are two jobs; an unknown job is gone',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const ids = Array.from({ length: 4 }, () => fixture.queueJob(tenant, []));
      const found = await Promise.all(ids.map((id) => github.job(tenant, id)));
      expect(found.map(({ id }) => id)).toEqual(ids);
      expect(new Set(ids.map(Number)).size).toBeLessThan(ids.length);
      expect(await kindOf(github.job(tenant, '9999999999999999999'))).toBe('gone');
    },
  },
  {
    rule: 'all queued jobs of an installation are found, over any number of pages, and no others',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const ids = Array.from({ length: 103 }, () => fixture.queueJob(tenant, labels));
      fixture.holdJob(tenant, labels);
      fixture.queueJob(fixture.neighbour, labels);
      fixture.cancelJob(ids.shift() ?? '');
      const look = { max: 100, busy: async () => [], after: undefined };
      const { jobs: found } = await github.queuedJobs(tenant.installationId, look);
      expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      expect(found[0]).toMatchObject({
        repository: tenant.repository,
        labels,
        runAttempt: 1,
        branch: 'main',
      });
    },
  },
];

const runnerCases: readonly ContractCase[] = [
  {
    rule: 'runners are listed in pages, and the name of a removed runner is free again',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      for (let index = 0; index < 101; index += 1) {
        await fixture.pass(1000);
        await runner(fixture, `mac-${index}`);
      }
      const found = await github.runners(tenant);
      expect(found.map(({ name }) => name)).toContain('mac-100');
      expect(found).toHaveLength(101);
      const [first] = found;
      if (first === undefined) throw new Error('no runner found');
      await github.removeRunner(tenant, first);
      expect(await github.runners(tenant)).toHaveLength(100);
      await runner(fixture, 'mac-0');
      expect(await kindOf(github.removeRunner(tenant, first))).toBe('gone');
    },
  },
  {
    rule: 'a runner removed from the organization is gone; a runner of the repository with the same id stays',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      await runner(fixture, 'mac-1');
      const ours = await github.runnerNamed(tenant, 'mac-1');
      if (ours === undefined) throw new Error('the runner was not registered');
      await github.removeRunner(tenant, ours);
      fixture.addOwnRunner(tenant, ours.id);
      expect(await kindOf(github.removeRunner(tenant, ours))).toBe('gone');
      expect(fixture.ownRunners(tenant)).toEqual([ours.id]);
    },
  },
  {
    rule: 'a runner of a repository is removed from the repository',
    proves: async ({ github, personal }) => {
      await github.register(orderFor(personal, 'mac-1'));
      const found = await github.runnerNamed(personal, 'mac-1');
      if (found === undefined) throw new Error('the runner was not registered');
      await github.removeRunner(personal, found);
      expect(await github.runners(personal)).toEqual([]);
      expect(await kindOf(github.removeRunner(personal, found))).toBe('gone');
    },
  },
  {
    rule: 'a runner is found by its exact name, on any page',
    proves: async (fixture) => {
      const { github, tenant, personal } = fixture;
      for (let index = 0; index < 101; index += 1) {
        await fixture.pass(1000);
        await runner(fixture, `mac-${index}`);
      }
      await github.register(orderFor(personal, 'mac-of-a-person'));
      expect(await github.runnerNamed(tenant, 'mac-100')).toMatchObject({ name: 'mac-100', isBusy: false });
      expect(await github.runnerNamed(tenant, 'mac-10')).toMatchObject({ name: 'mac-10' });
      expect(await github.runnerNamed(tenant, 'mac-')).toBeUndefined();
      expect(await github.runnerNamed(tenant, 'mac-of-a-person')).toBeUndefined();
      expect(await github.runnerNamed(personal, 'mac-of-a-person')).toMatchObject({ isOnline: false });
    },
  },
  {
    rule: 'all runners of an installation are found, of an organization or of the repositories of a person',
    proves: async (fixture) => {
      const { github, tenant, neighbour, personal } = fixture;
      for (const one of [tenant, neighbour, personal])
        await github.register(orderFor(one, `of ${one.repository}`));
      for (const { installationId, repository } of [tenant, personal]) {
        const found = await github.runnersOf(installationId);
        expect(found.map(({ name }) => name)).toEqual([`of ${repository}`]);
        for (const one of found) await github.removeRunner({ ...one, installationId }, one);
        expect(await github.runnersOf(installationId)).toEqual([]);
      }
      fixture.suspend(tenant);
      expect(await kindOf(github.runnersOf(tenant.installationId))).toBe('rejected');
    },
  },
  {
    rule: 'a busy runner is not removed yet',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      fixture.queueJob(tenant, labels);
      const { jitConfig, runnerId } = await runner(fixture, 'mac-1');
      fixture.startRunner(jitConfig, 5 * minute);
      await fixture.pass(minute);
      expect(await github.runners(tenant)).toMatchObject([{ isOnline: true, isBusy: true }]);
      expect(await kindOf(github.removeRunner(tenant, { id: runnerId, place: 'organisation' }))).toBe(
        'notYet',
      );
      await fixture.pass(10 * minute);
      expect(await github.runners(tenant)).toEqual([]);
    },
  },
];

const hookCases: readonly ContractCase[] = [
  {
    rule: 'all deliveries that are young enough come newest first, each with its result',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      await fixture.pass(minute);
      const since = fixture.now();
      for (let index = 0; index < 150; index += 1) fixture.queueJob(tenant, []);
      await fixture.pass(minute);
      fixture.setReceiver(503);
      fixture.queueJob(tenant, []);
      await fixture.pass(minute);
      const { deliveries: found } = await github.deliveries({ since, pagesMax });
      const young = found.filter(({ deliveredAt }) => deliveredAt >= since);
      expect(young).toHaveLength(151);
      expect(young.map(({ wasAccepted }) => wasAccepted).indexOf(true)).toBe(1);
      expect(young[0]).toMatchObject({ event: 'workflow_job', wasAccepted: false });
      expect(found.map(({ deliveredAt }) => deliveredAt)).toEqual(
        found.map(({ deliveredAt }) => deliveredAt).toSorted((a, b) => b - a),
      );
    },
  },
  {
    rule: 'of more deliveries than the limit a listing returns the newest, and reports that there are more',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      for (let index = 0; index < 250; index += 1) fixture.queueJob(tenant, []);
      await fixture.pass(minute);
      const all = await github.deliveries({ since: 0, pagesMax: 3 });
      expect([all.deliveries.length > 250, all.endedBy]).toEqual([true, undefined]);
      expect(await github.deliveries({ since: 0, pagesMax: 2 })).toEqual({
        deliveries: all.deliveries.slice(0, 200),
        endedBy: 'pages',
      });
    },
  },
  {
    rule: 'a redelivery is another attempt under the same guid',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      await fixture.pass(minute);
      fixture.setReceiver(500);
      fixture.queueJob(tenant, []);
      await fixture.pass(minute);
      const [failed] = (await github.deliveries({ since: 0, pagesMax })).deliveries;
      fixture.setReceiver(200);
      await github.redeliver(failed?.id ?? '');
      await fixture.pass(minute);
      const [again] = (await github.deliveries({ since: 0, pagesMax })).deliveries;
      expect(again).toMatchObject({ guid: failed?.guid, wasAccepted: true });
      expect(again?.id).not.toBe(failed?.id);
      expect(await kindOf(github.redeliver('9999999999999999999'))).toBe('gone');
    },
  },
  {
    rule: 'an installation is returned with its account, and whether it is suspended',
    proves: async (fixture) => {
      const { github, tenant, accountId } = fixture;
      const [login = ''] = tenant.repository.split('/');
      const known = { id: tenant.installationId, account: { id: accountId, login } };
      expect(await github.installation(tenant.installationId)).toEqual({ ...known, state: 'active' });
      fixture.suspend(tenant);
      expect(await github.installation(tenant.installationId)).toEqual({ ...known, state: 'suspended' });
      fixture.uninstall(tenant);
      expect(await kindOf(github.installation(tenant.installationId))).toBe('gone');
    },
  },
];

export const lookingCases: readonly ContractCase[] = [...jobCases, ...runnerCases, ...hookCases];
