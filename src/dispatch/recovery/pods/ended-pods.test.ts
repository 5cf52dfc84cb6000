/** Jobs whose Pod has just ended: when GitHub is queried, and what becomes of the jobs and their runners. */
import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness } from '../../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { noon } from '../../../../lab/contracts/store/harness.ts';
import type { PodRef } from '../../store/rows.ts';
import { EndedPods, graceMs } from './ended-pods.ts';

let harness: RecoveryHarness;
let endedPods: EndedPods;
beforeEach(async () => {
  harness = new RecoveryHarness();
  endedPods = new EndedPods(harness.ports);
  await harness.install();
});

async function end(pod: PodRef): Promise<void> {
  const jobs = await harness.store.podStopped({ pod, at: noon, ending: undefined });
  endedPods.add({ pod, jobs });
}

const questions = (): readonly string[] => harness.asked.filter((route) => route.includes('/actions/jobs/'));

describe('a job whose Pod has ended', () => {
  it('is not queried if the completed webhook comes within the grace period', async () => {
    const id = await harness.queueJob();
    const { claim, runnerName } = await harness.serve('a');
    await end(claim.pod);
    await harness.clock.pass(graceMs - 1);
    const reported = { runnerName, startedAt: noon, conclusion: 'success', at: noon };
    await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end: reported });
    await harness.clock.pass(minute);
    expect([questions(), harness.recovered]).toEqual([[], []]);
  });

  it('is not queried if another Pod has the job by then', async () => {
    await harness.queueJob();
    const { claim } = await harness.serve('a');
    await end(claim.pod);
    await harness.store.abandon(
      { jobId: claim.jobId, generation: claim.generation, evidence: 'pod_stopped' },
      {
        id: 'act',
        at: noon,
        kind: 'x',
        jobId: claim.jobId,
        pod: undefined,
        generation: undefined,
        evidence: {},
      },
    );
    await harness.serve('b');
    await harness.clock.pass(minute);
    expect(questions()).toEqual([]);
  });

  it('is requeued if queued at GitHub, with a cooldown, and the audit record names the Pod', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    await end(claim.pod);
    await harness.clock.pass(graceMs);
    expect((await harness.job(id)).state).toBe('queued');
    expect(harness.rested).toEqual([id]);
    const [, act] = await harness.store.acts({ jobId: id, limit: 2 });
    expect(act).toMatchObject({
      kind: 'orphan_requeued',
      pod: claim.pod,
      evidence: { reason: 'pod_stopped' },
    });
  });

  it('is on cooldown before any poll can see the requeue', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    const abandon = harness.store.abandon.bind(harness.store);
    let restedBefore: readonly string[] = [];
    harness.store.abandon = async (...given) => {
      restedBefore = [...harness.rested];
      return abandon(...given);
    };
    await end(claim.pod);
    await harness.clock.pass(graceMs);
    expect([restedBefore, (await harness.job(id)).state]).toEqual([[id], 'queued']);
  });

  it('that began is left to GitHub, as unattended', async () => {
    const id = await harness.queueJob();
    const { claim, runnerName } = await harness.serve('a');
    await harness.store.apply({ kind: 'start', job: harness.draftOf(id), runnerName, at: noon });
    const job = harness.site.board.job(id);
    if (job !== undefined) harness.site.board.end(job, 'failure');
    await end(claim.pod);
    await harness.clock.pass(graceMs);
    const [act] = await harness.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'orphan_completed', evidence: { reason: 'unattended' } });
    expect(harness.rested).toEqual([]);
  });
});

describe('a job for which GitHub gives no answer when its Pod has ended', () => {
  /** The answers of GitHub to the first queries. */
  const failing = (...failures: readonly Error[]): void => {
    const left = [...failures];
    const ask = harness.github.job.bind(harness.github);
    harness.github.job = async (...given) => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return ask(...given);
    };
  };
  const said = { reason: 'GitHubUnavailable', message: 'not now' } as const;

  it('is queried again at the time that GitHub names', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    failing(new FleetError('notYet', said, { retryAt: noon + graceMs + 2 * minute }));
    await end(claim.pod);
    await harness.clock.pass(graceMs + 2 * minute - 1);
    expect((await harness.job(id)).state).toBe('running');
    await harness.clock.pass(1);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('is queried with growing delays if GitHub names no time, and then left to the workers', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    failing(...Array.from({ length: 5 }, () => new FleetError('unavailable', said)));
    await end(claim.pod);
    await harness.clock.pass(10 * minute);
    expect([harness.said.length, (await harness.job(id)).state]).toEqual([5, 'running']);
  });

  it('is not queried again after a permanent failure', async () => {
    await harness.queueJob();
    const { claim } = await harness.serve('a');
    failing(new FleetError('rejected', said));
    await end(claim.pod);
    await harness.clock.pass(10 * minute);
    expect([harness.said.length, questions()]).toEqual([1, []]);
  });
});

describe('the registration of a runner whose Pod has ended', () => {
  const registered = async (): Promise<readonly string[]> =>
    (await harness.github.runners(harness.tenant)).map(({ name }) => name);

  it('is removed, and the removal is recorded', async () => {
    const id = await harness.queueJob();
    const { claim, runnerName } = await harness.serve('a');
    expect(await registered()).toEqual([runnerName]);
    await end(claim.pod);
    await harness.clock.pass(graceMs);
    expect(await registered()).toEqual([]);
    const [act] = await harness.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'ghost_runner', outcome: 'removed', pod: claim.pod });
    expect(harness.recovered).toEqual(['orphan_requeued', 'ghost_runner']);
  });

  it('is recorded even if the answer of GitHub to the removal was lost', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    harness.loseRemovals();
    await end(claim.pod);
    await harness.clock.pass(graceMs);
    expect(await registered()).toEqual([]);
    const [act] = await harness.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'ghost_runner', outcome: 'unknown', pod: claim.pod });
    expect(harness.recovered).toEqual(['orphan_requeued']);
  });

  it('is kept while its runner is online: the runner may get a job', async () => {
    await harness.queueJob();
    const served = await harness.serve('a');
    // The runner gets another job, and its own job keeps waiting.
    await harness.queueJob({ isKnown: false });
    harness.site.hall.start(served.jitConfig, {
      fate: 'works',
      comesAfterMs: 0,
      jobMs: 10 * minute,
      conclusion: 'success',
      reportsAfterMs: 0,
    });
    await end(served.claim.pod);
    await harness.clock.pass(graceMs);
    expect(await registered()).toEqual([served.runnerName]);
  });

  it('is kept while its runner is online and idle', async () => {
    const id = await harness.queueJob();
    const { claim, runnerName } = await harness.serve('a');
    const named = harness.github.runnerNamed.bind(harness.github);
    harness.github.runnerNamed = async (...given) => {
      const runner = await named(...given);
      return runner && { ...runner, isOnline: true };
    };
    await end(claim.pod);
    await harness.clock.pass(graceMs);
    expect([(await harness.job(id)).state, await registered()]).toEqual(['queued', [runnerName]]);
  });

  it('is that of the ended Pod, not that of a later Pod with the same name', async () => {
    await harness.queueJob();
    const { claim, runnerName } = await harness.serve('a');
    const later = { ...claim.pod, uid: 'another' };
    endedPods.add({ pod: later, jobs: [await harness.job(claim.jobId)] });
    await harness.clock.pass(graceMs);
    expect(await registered()).toEqual([runnerName]);
  });
});

it('jobs of many ended Pods are queried in parallel, and a hanging query does not stop the others', async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    ids.push(await harness.queueJob());
    const { claim } = await harness.serve(name);
    await end(claim.pod);
  }
  const { github } = harness.ports;
  const hangs = new EndedPods({
    ...harness.ports,
    github: Object.assign(Object.create(github), {
      job: async (tenant: never, id: string) =>
        id === ids[0] ? new Promise<never>(() => undefined) : github.job(tenant, id),
    }),
  });
  await endedPods.stop();
  for (const id of ids) hangs.add({ pod: { name: 'x', uid: 'x' }, jobs: [await harness.job(id)] });
  await harness.clock.pass(graceMs);
  const states = await Promise.all(ids.map(async (id) => (await harness.job(id)).state));
  expect(states).toEqual(['running', 'queued', 'queued']);
});

it('after a stop GitHub is not queried, and queued looks are dropped', async () => {
  const id = await harness.queueJob();
  const { claim } = await harness.serve('a');
  await end(claim.pod);
  await endedPods.stop();
  await end(claim.pod);
  await harness.clock.pass(minute);
  expect([questions(), (await harness.job(id)).state]).toEqual([[], 'running']);
});
