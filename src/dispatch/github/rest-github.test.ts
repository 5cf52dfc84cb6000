/** How many requests an operation takes if there are several pages. The contract covers the answers. */
import { describe, expect, it } from 'vitest';
import { minute, RecoveryHarness } from '../../../lab/harness/recovery-harness.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import type { Reply } from './reply.ts';
import { RestGitHub } from './rest-github.ts';
import type { Asked } from './transport.ts';

const routesOf = (harness: RecoveryHarness, word: string): readonly string[] =>
  harness.asked.filter((route) => route.startsWith('GET') && route.includes(word));

/** This many runners, from mac-0 on. */
async function harnessWith(count: number): Promise<RecoveryHarness> {
  const harness = new RecoveryHarness();
  for (let index = 0; index < count; index += 1) {
    await harness.clock.pass(1000);
    const order = { name: `mac-${index}`, labels: ['self-hosted'], workFolder: '/' };
    await harness.github.register({ ...harness.tenant, ...order });
  }
  return harness;
}

it('one runner is looked up by name with one request, however many runners exist', async () => {
  const harness = await harnessWith(101);
  expect(await harness.github.runnerNamed(harness.tenant, 'mac-100')).toMatchObject({ name: 'mac-100' });
  expect(routesOf(harness, '/actions/runners')).toHaveLength(1);
});

it('a list that may change is read forward and in reverse, in reverse without its last page', async () => {
  const harness = await harnessWith(201);
  expect(await harness.github.runnersOf(harness.tenant.installationId)).toHaveLength(201);
  expect(routesOf(harness, '/actions/runners')).toHaveLength(3 + 2);
});

it('deliveries are read up to the first that is too old', async () => {
  const harness = new RecoveryHarness();
  for (let index = 0; index < 150; index += 1) await harness.queueJob({ isKnown: false });
  await harness.clock.pass(minute);
  const since = harness.clock.now();
  await harness.queueJob({ isKnown: false });
  await harness.clock.pass(minute);
  const { deliveries } = await harness.github.deliveries({ since, pagesMax: 10 });
  expect(deliveries.length).toBeGreaterThan(0);
  expect(routesOf(harness, '/deliveries')).toHaveLength(1);
});

/** An installation with many repositories, each with three open runs and no queued job. */
class ManyRepositories {
  /** In the order in which they were read. */
  looked: string[] = [];
  requests = 0;
  /** The remaining requests of 5000 as GitHub reports them; undefined for no report. */
  left: () => number | undefined = () => undefined;
  readonly github: RestGitHub;
  readonly #names: readonly string[];

  constructor(count: number) {
    this.#names = Array.from({ length: count }, (_, index) => `o/${index}`);
    const expires_at = '2036-01-01T00:00:00Z';
    this.github = new RestGitHub(
      {
        asApp: async () => ({ status: 201, body: { token: 'token', expires_at }, headers: {} }),
        withToken: async (_token, asked) => this.#answer(asked),
      },
      new TestClock(Date.UTC(2026, 0, 1)),
    );
  }

  #answer({ route, parameters }: Asked): Reply {
    this.requests += 1;
    const left = this.left();
    const quota =
      left === undefined ? {} : { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': String(left) };
    if (route.endsWith('/repositories')) return this.#page(Number(parameters['page'] ?? 1), quota);
    if (route.endsWith('/jobs')) return { status: 200, body: { jobs: [] }, headers: quota };
    const repository = `${String(parameters['owner'])}/${String(parameters['repo'])}`;
    if (this.looked.at(-1) !== repository) this.looked.push(repository);
    const runs = parameters['status'] === 'queued' ? [{ id: 1 }, { id: 2 }, { id: 3 }] : [];
    return { status: 200, body: { workflow_runs: runs }, headers: quota };
  }

  #page(page: number, quota: Readonly<Record<string, string>>): Reply {
    const names = this.#names.slice((page - 1) * 100, page * 100);
    const link = `<https://api.github.com/x?page=${page + 1}>; rel="next"`;
    const headers = page * 100 < this.#names.length ? { link, ...quota } : quota;
    return { status: 200, body: { repositories: names.map((full_name) => ({ full_name })) }, headers };
  }

  /** One poll; returns where it ended. */
  async look(after?: string, busy: readonly string[] = []): Promise<string | undefined> {
    this.looked = [];
    this.requests = 0;
    return (await this.github.queuedJobs('5', { max: 100, busy: async () => busy, after })).after;
  }
}

describe('a poll for queued jobs', () => {
  it('reads a hundred repositories: those with our jobs each time, the others in round robin', async () => {
    const many = new ManyRepositories(250);
    const seen = new Set<string>();
    let after: string | undefined;
    for (let look = 0; look < 3; look += 1) {
      after = await many.look(after, ['o/240', 'o/7']);
      expect(many.looked).toHaveLength(100);
      expect(many.looked.slice(0, 2)).toEqual(['o/7', 'o/240']);
      for (const name of many.looked) seen.add(name);
    }
    expect(seen.size).toBe(250);
  });

  it('does not query which have our jobs if it can read all', async () => {
    const few = new ManyRepositories(100);
    const busy = (): never => expect.unreachable();
    await few.github.queuedJobs('5', { max: 100, busy, after: undefined });
    expect(few.looked).toHaveLength(100);
  });

  it('stops when half of the requests are spent, and the next poll continues there', async () => {
    const few = new ManyRepositories(20);
    let spent = 2400;
    few.left = () => 5000 - (spent += 1);
    // Of the listing and of all requests for a repository.
    const after = await few.look();
    expect(few.requests).toBe(101);
    expect(after).toBe(few.looked.at(-1));
    expect(few.looked).toHaveLength(17);
    spent = 0;
    await few.look(after);
    expect([few.looked[0], few.looked.length]).toEqual(['o/17', 20]);
  });

  it('reads no repository while less than half is left, and keeps its position', async () => {
    const few = new ManyRepositories(20);
    few.left = () => 2499;
    expect(await few.look('o/3')).toBe('o/3');
    expect([few.requests, few.looked]).toEqual([1, []]);
    few.left = () => 2500;
    expect(await few.look('o/3')).toBe('o/3');
    expect(few.looked).toHaveLength(20);
  });
});
