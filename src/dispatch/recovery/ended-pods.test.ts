/** Jobs whose Pod has just ended: when GitHub is asked about them, and what becomes of them and their runners. */
import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryStand } from '../../../test/recovery-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { noon } from '../store/contract/stage.ts';
import type { PodRef } from '../store/rows.ts';
import { EndedPods, graceMs } from './ended-pods.ts';

let stand: RecoveryStand;
let endedPods: EndedPods;
beforeEach(async () => {
  stand = new RecoveryStand();
  endedPods = new EndedPods(stand.ports);
  await stand.install();
});

async function end(pod: PodRef): Promise<void> {
  const jobs = await stand.store.podStopped({ pod, at: noon, ending: undefined });
  endedPods.add({ pod, jobs });
}

const questions = (): readonly string[] => stand.asked.filter((route) => route.includes('/actions/jobs/'));

describe('a job whose Pod has ended', () => {
  it('is not asked about where the webhook of its end comes within the grace', async () => {
    const id = await stand.queueJob();
    const { claim, runnerName } = await stand.serve('a');
    await end(claim.pod);
    await stand.clock.pass(graceMs - 1);
    const told = { runnerName, startedAt: noon, conclusion: 'success', at: noon };
    await stand.store.apply({ kind: 'complete', job: stand.draftOf(id), end: told });
    await stand.clock.pass(minute);
    expect([questions(), stand.recovered]).toEqual([[], []]);
  });

  it('is not asked about where another Pod has it by then', async () => {
    await stand.queueJob();
    const { claim } = await stand.serve('a');
    await end(claim.pod);
    await stand.store.abandon(
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
    await stand.serve('b');
    await stand.clock.pass(minute);
    expect(questions()).toEqual([]);
  });

  it('waits again where GitHub has it queued, rests, and the act names the Pod', async () => {
    const id = await stand.queueJob();
    const { claim } = await stand.serve('a');
    await end(claim.pod);
    await stand.clock.pass(graceMs);
    expect((await stand.job(id)).state).toBe('queued');
    expect(stand.rested).toEqual([id]);
    const [, act] = await stand.store.acts({ jobId: id, limit: 2 });
    expect(act).toMatchObject({
      kind: 'orphan_requeued',
      pod: claim.pod,
      evidence: { reason: 'pod_stopped' },
    });
  });

  it('rests before anybody can hear that it waits again', async () => {
    const id = await stand.queueJob();
    const { claim } = await stand.serve('a');
    const abandon = stand.store.abandon.bind(stand.store);
    let restedBefore: readonly string[] = [];
    stand.store.abandon = async (...given) => {
      restedBefore = [...stand.rested];
      return abandon(...given);
    };
    await end(claim.pod);
    await stand.clock.pass(graceMs);
    expect([restedBefore, (await stand.job(id)).state]).toEqual([[id], 'queued']);
  });

  it('that began is left to GitHub, as one that nobody attends to', async () => {
    const id = await stand.queueJob();
    const { claim, runnerName } = await stand.serve('a');
    await stand.store.apply({ kind: 'start', job: stand.draftOf(id), runnerName, at: noon });
    const job = stand.site.board.job(id);
    if (job !== undefined) stand.site.board.end(job, 'failure');
    await end(claim.pod);
    await stand.clock.pass(graceMs);
    const [act] = await stand.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'orphan_completed', evidence: { reason: 'unattended' } });
    expect(stand.rested).toEqual([]);
  });
});

describe('a job that GitHub does not speak of when its Pod has ended', () => {
  /** What GitHub answers to the first questions. */
  const failing = (...failures: readonly Error[]): void => {
    const left = [...failures];
    const ask = stand.github.job.bind(stand.github);
    stand.github.job = async (...given) => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return ask(...given);
    };
  };
  const said = { reason: 'X', message: 'not now' };

  it('is asked about again at the time that GitHub names', async () => {
    const id = await stand.queueJob();
    const { claim } = await stand.serve('a');
    failing(new FleetError('notYet', said, { retryAt: noon + graceMs + 2 * minute }));
    await end(claim.pod);
    await stand.clock.pass(graceMs + 2 * minute - 1);
    expect((await stand.job(id)).state).toBe('running');
    await stand.clock.pass(1);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('is asked about again later and later where GitHub names no time, and then left to the workers', async () => {
    const id = await stand.queueJob();
    const { claim } = await stand.serve('a');
    failing(...Array.from({ length: 5 }, () => new FleetError('unavailable', said)));
    await end(claim.pod);
    await stand.clock.pass(10 * minute);
    expect([stand.said.length, (await stand.job(id)).state]).toEqual([5, 'running']);
  });

  it('is not asked about again where GitHub will never answer', async () => {
    await stand.queueJob();
    const { claim } = await stand.serve('a');
    failing(new FleetError('rejected', said));
    await end(claim.pod);
    await stand.clock.pass(10 * minute);
    expect([stand.said.length, questions()]).toEqual([1, []]);
  });
});

describe('the registration of a runner whose Pod has ended', () => {
  const registered = async (): Promise<readonly string[]> =>
    (await stand.github.runners(stand.tenant)).map(({ name }) => name);

  it('is removed, and that is written down', async () => {
    const id = await stand.queueJob();
    const { claim, runnerName } = await stand.serve('a');
    expect(await registered()).toEqual([runnerName]);
    await end(claim.pod);
    await stand.clock.pass(graceMs);
    expect(await registered()).toEqual([]);
    const [act] = await stand.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'ghost_runner', outcome: 'removed', pod: claim.pod });
    expect(stand.recovered).toEqual(['orphan_requeued', 'ghost_runner']);
  });

  it('is written down also where GitHub removed it and its answer was lost', async () => {
    const id = await stand.queueJob();
    const { claim } = await stand.serve('a');
    stand.loseRemovals();
    await end(claim.pod);
    await stand.clock.pass(graceMs);
    expect(await registered()).toEqual([]);
    const [act] = await stand.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'ghost_runner', outcome: 'unknown', pod: claim.pod });
    expect(stand.recovered).toEqual(['orphan_requeued']);
  });

  it('is kept as long as GitHub sees it on the line: it may be given a job', async () => {
    await stand.queueJob();
    const served = await stand.serve('a');
    // It is given another job, and its own waits on.
    await stand.queueJob({ isKnown: false });
    stand.site.hall.start(served.jitConfig, {
      fate: 'works',
      comesAfterMs: 0,
      jobMs: 10 * minute,
      conclusion: 'success',
      reportsAfterMs: 0,
    });
    await end(served.claim.pod);
    await stand.clock.pass(graceMs);
    expect(await registered()).toEqual([served.runnerName]);
  });

  it('is kept also as long as it is on the line and idle', async () => {
    const id = await stand.queueJob();
    const { claim, runnerName } = await stand.serve('a');
    const named = stand.github.runnerNamed.bind(stand.github);
    stand.github.runnerNamed = async (...given) => {
      const runner = await named(...given);
      return runner && { ...runner, isOnline: true };
    };
    await end(claim.pod);
    await stand.clock.pass(graceMs);
    expect([(await stand.job(id)).state, await registered()]).toEqual(['queued', [runnerName]]);
  });

  it('is that of the Pod that ended, and not that of a later one of its name', async () => {
    await stand.queueJob();
    const { claim, runnerName } = await stand.serve('a');
    const later = { ...claim.pod, uid: 'another' };
    endedPods.add({ pod: later, jobs: [await stand.job(claim.jobId)] });
    await stand.clock.pass(graceMs);
    expect(await registered()).toEqual([runnerName]);
  });
});

it('of many that end at once some are asked about at the same time, and one that hangs keeps no other', async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    ids.push(await stand.queueJob());
    const { claim } = await stand.serve(name);
    await end(claim.pod);
  }
  const { github } = stand.ports;
  const hangs = new EndedPods({
    ...stand.ports,
    github: Object.assign(Object.create(github), {
      job: async (tenant: never, id: string) =>
        id === ids[0] ? new Promise<never>(() => undefined) : github.job(tenant, id),
    }),
  });
  await endedPods.stop();
  for (const id of ids) hangs.add({ pod: { name: 'x', uid: 'x' }, jobs: [await stand.job(id)] });
  await stand.clock.pass(graceMs);
  const states = await Promise.all(ids.map(async (id) => (await stand.job(id)).state));
  expect(states).toEqual(['running', 'queued', 'queued']);
});

it('who stops asks nobody any more, and waits for no one in line', async () => {
  const id = await stand.queueJob();
  const { claim } = await stand.serve('a');
  await end(claim.pod);
  await endedPods.stop();
  await end(claim.pod);
  await stand.clock.pass(minute);
  expect([questions(), (await stand.job(id)).state]).toEqual([[], 'running']);
});
