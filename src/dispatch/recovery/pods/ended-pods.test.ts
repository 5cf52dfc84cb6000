/** Jobs whose Pod has just ended: when GitHub is asked about them, and what becomes of them and their runners. */
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
  it('is not asked about where the webhook of its end comes within the grace', async () => {
    const id = await harness.queueJob();
    const { claim, runnerName } = await harness.serve('a');
    await end(claim.pod);
    await harness.clock.pass(graceMs - 1);
    const reported = { runnerName, startedAt: noon, conclusion: 'success', at: noon };
    await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end: reported });
    await harness.clock.pass(minute);
    expect([questions(), harness.recovered]).toEqual([[], []]);
  });

  it('is not asked about where another Pod has it by then', async () => {
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

  it('waits again where GitHub has it queued, rests, and the act names the Pod', async () => {
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

  it('rests before anybody can hear that it waits again', async () => {
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

  it('that began is left to GitHub, as one that nobody attends to', async () => {
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

describe('a job that GitHub does not speak of when its Pod has ended', () => {
  /** What GitHub answers to the first questions. */
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

  it('is asked about again at the time that GitHub names', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    failing(new FleetError('notYet', said, { retryAt: noon + graceMs + 2 * minute }));
    await end(claim.pod);
    await harness.clock.pass(graceMs + 2 * minute - 1);
    expect((await harness.job(id)).state).toBe('running');
    await harness.clock.pass(1);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('is asked about again later and later where GitHub names no time, and then left to the workers', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    failing(...Array.from({ length: 5 }, () => new FleetError('unavailable', said)));
    await end(claim.pod);
    await harness.clock.pass(10 * minute);
    expect([harness.said.length, (await harness.job(id)).state]).toEqual([5, 'running']);
  });

  it('is not asked about again where GitHub will never answer', async () => {
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

  it('is removed, and that is written down', async () => {
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

  it('is written down also where GitHub removed it and its answer was lost', async () => {
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

  it('is kept as long as GitHub sees it on the line: it may be given a job', async () => {
    await harness.queueJob();
    const served = await harness.serve('a');
    // It is given another job, and its own waits on.
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

  it('is kept also as long as it is on the line and idle', async () => {
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

  it('is that of the Pod that ended, and not that of a later one of its name', async () => {
    await harness.queueJob();
    const { claim, runnerName } = await harness.serve('a');
    const later = { ...claim.pod, uid: 'another' };
    endedPods.add({ pod: later, jobs: [await harness.job(claim.jobId)] });
    await harness.clock.pass(graceMs);
    expect(await registered()).toEqual([runnerName]);
  });
});

it('of many that end at once some are asked about at the same time, and one that hangs keeps no other', async () => {
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

it('who stops asks nobody any more, and waits for no one in line', async () => {
  const id = await harness.queueJob();
  const { claim } = await harness.serve('a');
  await end(claim.pod);
  await endedPods.stop();
  await end(claim.pod);
  await harness.clock.pass(minute);
  expect([questions(), (await harness.job(id)).state]).toEqual([[], 'running']);
});
