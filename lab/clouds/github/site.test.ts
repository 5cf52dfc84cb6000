import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TestClock } from '../../harness/test-clock.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { isSigned } from '../../../src/dispatch/webhooks/signature.ts';
import { contractSite, webhookSecret, type ContractSite } from './contract/contract-site.ts';
import { calmTiming, ghostLifeMs, registrationLifeMs } from './timing.ts';
import type { HookFault } from './hook-faults.ts';
import type { HookPost } from './hooks.ts';
import type { Job, Repository, Runner } from './records.ts';
import type { RunnerScript } from './runners.ts';

const minute = 60_000;
const hour = 60 * minute;
const organisation = { kind: 'organisation', name: 'octo-org' } as const;

let clock: TestClock;
let fixture: ContractSite;
let posts: HookPost[];
let receiver: () => Promise<number>;

beforeEach(async () => {
  clock = new TestClock(Date.UTC(2026, 0, 1));
  posts = [];
  receiver = async () => 200;
  fixture = contractSite(clock, async (post) => {
    posts.push(post);
    return receiver();
  });
  await clock.pass(minute);
  posts = [];
});

function repository(fullName = fixture.tenant.repository): Repository {
  const found = fixture.site.directory.repository(fullName);
  if (found === undefined) throw new Error(`there is no ${fullName}`);
  return found;
}

function queue(labels: readonly string[] = ['fleet-mac']): Job {
  return fixture.site.board.order({ repository: repository(), labels });
}

function register(name: string, labels: readonly string[] = ['self-hosted', 'fleet-mac']): Runner {
  const runner = fixture.site.hall.register(organisation, { name, labels, workFolder: '_work' });
  if (runner === undefined) throw new Error(`the name ${name} is taken`);
  return runner;
}

function start(runner: Runner, script: Partial<RunnerScript> = {}): Runner {
  const usual = { fate: 'works', comesAfterMs: 1000, jobMs: minute, conclusion: 'success' } as const;
  return fixture.site.hall.start(runner.jitConfig, { ...usual, reportsAfterMs: 0, ...script });
}

const story = z.object({
  action: z.string(),
  workflow_job: z.object({ runner_name: z.string().nullable() }),
});

/** The webhooks about jobs, in the order of arrival. */
function reported(): readonly string[] {
  return posts.map(({ body }) => {
    const { action, workflow_job: job } = story.parse(JSON.parse(body));
    return `${action} ${job.runner_name ?? '-'}`;
  });
}

describe('a runner', () => {
  it('gets any queued job that its labels match, and not always the job of its registration', async () => {
    const firsts = new Set<number>();
    for (let round = 0; round < 20; round += 1) {
      const jobs = [queue(), queue(), queue()];
      start(register(`mac-${round}`), { jobMs: 1000 });
      await clock.pass(minute);
      firsts.add(jobs.findIndex(({ status }) => status === 'completed'));
      for (const job of jobs) fixture.site.cancel(job);
      await clock.pass(minute);
    }
    expect(firsts).toEqual(new Set([0, 1, 2]));
  });

  it('gets no job whose labels it lacks, of another owner, or that waits for an approval', async () => {
    const { board } = fixture.site;
    const others = [
      queue(['fleet-mac', 'gpu']),
      board.order({ repository: repository('next-door/web'), labels: ['fleet-mac'] }),
      board.order({ repository: repository(), labels: ['fleet-mac'], waits: true }),
    ];
    start(register('mac-1'));
    await clock.pass(hour);
    expect(others.map(({ status }) => status)).toEqual(['queued', 'queued', 'waiting']);
    board.approve(others[2] ?? queue());
    await clock.pass(hour);
    expect(others.map(({ status }) => status)).toEqual(['queued', 'queued', 'completed']);
  });

  it('is gone after one job, and its name is free', async () => {
    const [first, second] = [queue(), queue()];
    start(register('mac-1'));
    await clock.pass(hour);
    expect([first.status, second.status].toSorted()).toEqual(['completed', 'queued']);
    expect(fixture.site.hall.runners(organisation)).toEqual([]);
    expect(register('mac-1').state).toBe('registered');
  });

  it('can be started once, and only within an hour; after a day the registration is deleted', async () => {
    const [used, late] = [register('used'), register('late')];
    start(used);
    expect(() => start(used)).toThrow('started already');
    await clock.pass(registrationLifeMs + 1);
    expect(() => start(late)).toThrow('expired');
    await clock.pass(ghostLifeMs);
    expect(fixture.site.hall.runners(organisation).map(({ name }) => name)).toEqual(['used']);
    expect(() => start(late)).toThrow('no runner was registered');
  });

  it('that never starts is never online, and its job stays queued', async () => {
    const job = queue();
    const runner = start(register('mac-1'), { fate: 'never-comes' });
    await clock.pass(hour);
    expect([job.status, runner.state]).toEqual(['queued', 'registered']);
  });

  it.for([
    ['by itself', 'dies'],
    ['because its machine is killed', 'works'],
  ] as const)('that dies %s leaves its job running until GitHub gives the job up', async ([, fate]) => {
    const job = queue();
    let ended = 0;
    const runner = start(register('mac-1'), { fate, ended: () => void (ended += 1) });
    await clock.pass(30_000);
    if (fate === 'works') fixture.site.hall.kill(runner.id);
    await clock.pass(minute);
    expect([job.status, runner.state, ended]).toEqual(['in_progress', 'lost', 1]);
    await clock.pass(calmTiming.lostRunnerMs);
    expect([job.conclusion, runner.state, ended]).toEqual(['failure', 'gone', 1]);
  });

  it('whose end is reported late is busy until then', async () => {
    const job = queue();
    let endedAt = 0;
    start(register('mac-1'), { reportsAfterMs: hour, ended: () => void (endedAt = clock.now()) });
    await clock.pass(hour);
    expect([job.status, endedAt > 0]).toEqual(['in_progress', true]);
    await clock.pass(hour);
    expect(job.completedAt).toBe(endedAt + hour);
  });

  it('stops when its job is cancelled', async () => {
    const job = queue();
    let ended = 0;
    start(register('mac-1'), { jobMs: hour, ended: () => void (ended += 1) });
    await clock.pass(minute);
    fixture.site.cancel(job);
    await clock.pass(2 * hour);
    expect([job.conclusion, ended, fixture.site.hall.all]).toEqual(['cancelled', 1, []]);
  });
});

describe('webhooks', () => {
  it('report each change of a job, signed', async () => {
    queue();
    await clock.pass(minute);
    start(register('mac-1'), { jobMs: 10 * minute });
    await clock.pass(hour);
    expect(reported()).toEqual(['queued -', 'in_progress mac-1', 'completed mac-1']);
    const secrets = [new Secret(webhookSecret)];
    const isGood = posts.map(({ body, signature }) => isSigned(Buffer.from(body), signature, secrets));
    expect(isGood).toEqual([true, true, true]);
  });

  it('of a rerun job have a new job id in the next attempt of the run', async () => {
    const job = queue();
    fixture.site.cancel(job);
    const again = fixture.site.board.again(job);
    expect(again).toMatchObject({ runId: job.runId, runAttempt: 2, status: 'queued' });
    expect(again.id).not.toBe(job.id);
    await clock.pass(minute);
    expect(reported().toSorted()).toEqual(['completed -', 'queued -', 'queued -']);
  });

  it('are not sent for a suspended installation', async () => {
    const { site, installation } = fixture;
    site.setInstallation(installation, 'suspended');
    await clock.pass(minute);
    posts = [];
    queue();
    await clock.pass(minute);
    expect(posts).toEqual([]);
  });

  it('can overtake each other', async () => {
    for (let round = 0; round < 20; round += 1) fixture.site.cancel(queue(['none']));
    await clock.pass(minute);
    expect(reported()).not.toEqual(Array.from({ length: 20 }, () => ['queued -', 'completed -']).flat());
  });

  it.for<[HookFault, number, readonly number[]]>([
    [{ kind: 'refused' }, 0, [502]],
    [{ kind: 'lost' }, 0, []],
    [{ kind: 'reply-lost' }, 1, [502]],
    [{ kind: 'duplicate' }, 2, [200, 200]],
    [{ kind: 'late', ms: hour }, 0, []],
  ])('under %j: arrive %i times, in the log %j', async ([fault, arrived, codes]) => {
    const { site } = fixture;
    const before = site.hooks.log.length;
    site.hookFaults.order({ action: 'queued', times: 1, fault });
    queue();
    await clock.pass(minute);
    expect(posts).toHaveLength(arrived);
    expect(new Set(posts.map(({ guid }) => guid)).size).toBe(Math.min(1, arrived));
    expect(site.hooks.log.slice(before).map(({ statusCode }) => statusCode)).toEqual(codes);
    await clock.pass(hour);
    expect(posts).toHaveLength(fault.kind === 'late' ? 1 : arrived);
    queue();
    await clock.pass(minute);
    expect(posts).toHaveLength((fault.kind === 'late' ? 1 : arrived) + 1);
  });

  it('fail as often as the settings say', async () => {
    const { site } = fixture;
    site.timing = { ...calmTiming, refuseDelivery: 0.25, loseDelivery: 0.25, doubleDelivery: 0.25 };
    for (let count = 0; count < 400; count += 1) queue(['none']);
    await clock.pass(minute);
    const guids = Map.groupBy(posts, ({ guid }) => guid);
    const doubled = [...guids.values()].filter((one) => one.length === 2).length;
    const refused = site.hooks.log.filter(({ statusCode }) => statusCode === 502).length;
    for (const count of [doubled, refused, 400 - guids.size - refused]) {
      expect(count).toBeGreaterThan(60);
      expect(count).toBeLessThan(140);
    }
  });

  it('that fail are in the log with the reason, and can be redelivered', async () => {
    const { site } = fixture;
    receiver = () => Promise.reject(new Error('nobody listens'));
    queue();
    await clock.pass(minute);
    const failed = site.hooks.log.at(-1);
    receiver = async () => 200;
    expect([failed?.statusCode, site.hooks.redeliver(failed?.id ?? ''), site.hooks.redeliver('1')]).toEqual([
      502,
      true,
      false,
    ]);
    await clock.pass(minute);
    expect(site.hooks.log.at(-1)).toMatchObject({ guid: failed?.guid, isRedelivery: true, statusCode: 200 });
    expect(posts[1]?.body).toBe(posts[0]?.body);
  });
});
