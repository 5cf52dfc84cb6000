/** Routing of job webhooks by pool or profile, with a store in memory behind the receiver. */
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { Secret } from '../../platform/secret.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import type { JobStore } from '../store/port.ts';
import type { ProfileDraft } from '../store/rows.ts';
import { WebhookReceiver } from './receiver.ts';
import { profileRoute, sizeOf, sizeText } from './profile-routes.ts';
import type { PoolRoute } from './route.ts';

const secret = 'of the webhook';
const size = { vcpus: 2, memoryGb: 8 };
const small: ProfileDraft = { accountId: '7', name: 'small', platform: 'linux', ...size };
const settings = {
  labelPrefix: 'Fleet-',
  poolPrefixes: { linux: 'ci-linux', macos: 'ci-macos' },
  linuxSizes: [size, { vcpus: 4, memoryGb: 16 }],
};

class Harness {
  readonly store = new MemoryStore();
  readonly outcomes: string[] = [];
  readonly read: string[] = [];
  pools: PoolRoute[] = [
    {
      name: 'ci-linux-2vcpu-8gb',
      dispatchLabel: 'shape-2',
      runnerLabels: ['self-hosted', 'Linux', 'GPU'],
      shape: { platform: 'linux', ...size },
    },
    {
      name: 'ci-linux-4vcpu-16gb',
      dispatchLabel: 'fleet-large',
      runnerLabels: [],
      shape: { platform: 'linux', vcpus: 4, memoryGb: 16 },
    },
  ];
  readonly #ingress: WebhookReceiver;
  #deliveries = 0;

  constructor() {
    const { store } = this;
    const counted: Pick<JobStore, 'account' | 'ingest' | 'installation' | 'job' | 'profiles'> = {
      account: (id) => store.account(id),
      ingest: (...given) => store.ingest(...given),
      installation: (id) => store.installation(id),
      job: (id) => this.#reading('job', store.job(id)),
      profiles: (id) => this.#reading('profiles', store.profiles(id)),
    };
    this.#ingress = new WebhookReceiver({
      store: counted,
      clock: new TestClock(Date.UTC(2026, 0, 2)),
      secrets: () => [new Secret(secret)],
      pools: () => this.pools,
      profiles: settings,
      allowedAccounts: ['*'],
      say: () => undefined,
      counted: (_action, outcome) => void this.outcomes.push(outcome),
    });
  }

  async #reading<T>(what: string, answer: Promise<T>): Promise<T> {
    this.read.push(what);
    return answer;
  }

  async #send(event: string, payload: object): Promise<void> {
    const body = Buffer.from(JSON.stringify(payload));
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const guid = `delivery-${(this.#deliveries += 1)}`;
    const { status, message } = await this.#ingress.receive({ signature, guid, event, body });
    if (status !== 200) throw new Error(message);
  }

  /** An installation webhook. The installation has the id of the account. */
  async installed(id: number): Promise<void> {
    await this.#send('installation', {
      action: 'created',
      installation: { id, account: { id, login: `org-${id}` } },
    });
  }

  /** The outcome of a webhook about the job. */
  async says(action: string, labels: readonly string[], of: { id?: number; account?: number } = {}) {
    const { id = 1, account = 7 } = of;
    const reported = { id, run_id: 1, labels, created_at: '2026-01-01T00:00:00Z' };
    const begun = action === 'queued' ? {} : { runner_name: 'runner-1', conclusion: 'success' };
    await this.#send('workflow_job', {
      action,
      installation: { id: account },
      repository: { full_name: `org-${account}/app` },
      workflow_job: { ...reported, ...begun },
    });
    return this.outcomes.at(-1);
  }
}

let harness: Harness;
beforeEach(async () => {
  harness = new Harness();
  await harness.installed(7);
  await harness.store.putProfile(small);
});

describe('a job with labels beyond that of its pool or profile', () => {
  it.for([
    ['goes where runners have all labels, in any case', ['shape-2', 'gpu', 'LINUX'], 'changed'],
    [
      'is ignored if runners are registered without them',
      ['fleet-large', 'Self-Hosted'],
      'no_runner_with_labels',
    ],
    ['is ignored if it wants another operating system', ['shape-2', 'macOS'], 'no_runner_with_labels'],
    ['is ignored if no pool has a wanted label', ['shape-2', 'X64'], 'no_runner_with_labels'],
    ['is ignored if no runner has one of them', ['shape-2', 'gpu', 'fpga'], 'no_runner_with_labels'],
    ['is ignored if only another pool has it', ['fleet-large', 'gpu'], 'no_runner_with_labels'],
    ['is routed by its profile if runners have the labels', ['fleet-small', 'gpu'], 'changed'],
    ['is ignored with a profile if no runner has a label', ['fleet-small', 'fpga'], 'no_runner_with_labels'],
    ['is ignored with a profile and a pool', ['fleet-small', 'shape-2'], 'no_runner_with_labels'],
  ] as const)('%s', async ([, labels, outcome]) => {
    expect(await harness.says('queued', labels)).toBe(outcome);
  });

  it.for(['in_progress', 'completed'])(
    'that was stored is found by %s after its pool lost a label',
    async (action) => {
      await harness.says('queued', ['shape-2', 'gpu']);
      harness.pools = harness.pools.map((pool) => ({ ...pool, runnerLabels: [] }));
      expect(await harness.says(action, ['shape-2', 'gpu'])).toBe('changed');
    },
  );
});

describe('a job with the label of a profile', () => {
  it('goes to the pool of its size, and its runner must have that label', async () => {
    expect(await harness.says('queued', ['self-hosted', 'FLEET-Small'])).toBe('changed');
    expect(await harness.store.job('1')).toMatchObject({
      pool: 'ci-linux-2vcpu-8gb',
      label: 'Fleet-small',
      shape: { platform: 'linux', ...size },
    });
  });

  it('uses the profile of its own account, even if another account has one of the same name', async () => {
    await harness.installed(8);
    await harness.store.putProfile({ ...small, accountId: '8', vcpus: 4, memoryGb: 16 });
    await harness.says('queued', ['fleet-small'], { account: 8 });
    expect(await harness.store.job('1')).toMatchObject({ accountId: '8', pool: 'ci-linux-4vcpu-16gb' });
  });

  it('uses the profile even if a pool has the same label', async () => {
    expect(await harness.says('queued', ['fleet-large'])).toBe('changed');
    expect((await harness.store.job('1'))?.pool).toBe('ci-linux-4vcpu-16gb');
    await harness.store.putProfile({ ...small, name: 'large' });
    await harness.says('queued', ['fleet-large'], { id: 2 });
    expect((await harness.store.job('2'))?.pool).toBe('ci-linux-2vcpu-8gb');
  });

  it('is ignored if no pool has that size, even if a pool has the same label', async () => {
    await harness.store.putProfile({ ...small, name: 'large', vcpus: 64 });
    expect(await harness.says('queued', ['fleet-large'])).toBe('no_pool_for_profile');
    expect(await harness.store.job('1')).toBeUndefined();
  });

  it('is ignored if it names two profiles: its runner could have only one of the labels', async () => {
    await harness.store.putProfile({ ...small, name: 'tiny' });
    expect(await harness.says('queued', ['fleet-small', 'fleet-tiny'])).toBe('ambiguous_profile');
  });

  it('is ignored if its account has no such profile', async () => {
    await harness.installed(8);
    expect(await harness.says('queued', ['fleet-small'], { account: 8 })).toBe('no_matching_pool');
  });

  it.for(['in_progress', 'completed'])('is found by %s after its profile was removed', async (action) => {
    await harness.says('queued', ['fleet-small']);
    await harness.store.removeProfile('7', 'small');
    expect(await harness.says(action, ['fleet-small'])).toBe('changed');
    expect(await harness.store.job('1')).toMatchObject({
      state: action === 'completed' ? 'completed' : 'running',
      pool: 'ci-linux-2vcpu-8gb',
      label: 'Fleet-small',
    });
  });

  it('is found when its repository has another owner when it ends', async () => {
    await harness.says('queued', ['fleet-small']);
    await harness.installed(8);
    expect(await harness.says('completed', ['fleet-small'], { account: 8 })).toBe('changed');
  });

  it('is found after its pool was removed, and keeps its pool when its profile becomes larger', async () => {
    await harness.says('waiting', ['fleet-small']);
    await harness.store.putProfile({ ...small, vcpus: 4, memoryGb: 16 });
    harness.pools = [];
    expect(await harness.says('queued', ['fleet-small'])).toBe('changed');
    expect(await harness.store.job('1')).toMatchObject({ state: 'queued', pool: 'ci-linux-2vcpu-8gb' });
  });
});

describe('a job with the label of a pool', () => {
  const twin: PoolRoute = {
    name: 'twin',
    dispatchLabel: 'Shape-2',
    runnerLabels: ['self-hosted'],
    shape: { platform: 'linux', ...size },
  };
  const without = (pools: readonly PoolRoute[]): PoolRoute[] => pools.slice(1);
  const twice = (pools: readonly PoolRoute[]): PoolRoute[] => [...pools, twin];

  it.for([
    ['in_progress', 'its pool is being deleted', without],
    ['completed', 'its pool is being deleted', without],
    ['in_progress', 'another pool has the same label', twice],
    ['completed', 'another pool has the same label', twice],
  ] as const)('is found by %s when %s', async ([action, , change]) => {
    await harness.says('queued', ['shape-2']);
    harness.pools = change(harness.pools);
    expect(await harness.says(action, ['shape-2'])).toBe('changed');
    expect(await harness.store.job('1')).toMatchObject({
      state: action === 'completed' ? 'completed' : 'running',
      pool: 'ci-linux-2vcpu-8gb',
      label: 'shape-2',
    });
  });

  it.for([
    ['in_progress', 'no_matching_pool', without],
    ['completed', 'no_matching_pool', without],
    ['completed', 'ambiguous_pool', twice],
  ] as const)('that is not known either is ignored by %s as %s', async ([action, why, change]) => {
    harness.pools = change(harness.pools);
    expect(await harness.says(action, ['shape-2'])).toBe(why);
    expect(await harness.store.job('1')).toBeUndefined();
    expect(harness.read).toEqual(['job']);
  });

  it('goes to no pool that is being deleted', async () => {
    harness.pools = without(harness.pools);
    expect(await harness.says('queued', ['shape-2'])).toBe('no_matching_pool');
    expect(harness.read).toEqual([]);
  });

  it('is not read from the store if its pool exists', async () => {
    await harness.says('queued', ['shape-2']);
    expect(await harness.says('completed', ['shape-2'])).toBe('changed');
    expect(harness.read).toEqual([]);
  });
});

it('a job that names no profile causes no read of profiles', async () => {
  expect(await harness.says('queued', ['self-hosted', 'Shape-2'])).toBe('changed');
  expect((await harness.store.job('1'))?.label).toBe('shape-2');
  expect(harness.read).toEqual([]);
  await harness.says('queued', ['fleet-small'], { id: 2 });
  await harness.says('completed', ['fleet-small'], { id: 2 });
  expect(harness.read).toEqual(['job', 'profiles', 'job']);
});

it('a new account gets the profile linux, of the first size', async () => {
  expect(await harness.store.profiles('7')).toContainEqual({ ...small, name: 'linux', isProtected: true });
  expect(await harness.says('queued', ['fleet-linux'])).toBe('changed');
});

it('pools of Macs have another prefix', () => {
  const profile = { ...small, platform: 'macos', isProtected: false } as const;
  expect(profileRoute(profile, settings)).toEqual({ label: 'Fleet-small', pool: 'ci-macos-2vcpu-8gb' });
});

it.for(['0vcpu-8gb', '2vcpu-08gb', '2-8', '2vcpu-8gb ', '2vcpu-8GB', '1000vcpu-1gb'])(
  '%j is not a size',
  (text) => {
    expect(sizeOf(text)).toBeUndefined();
    expect(sizeText(size)).toBe('2vcpu-8gb');
    expect(sizeOf(sizeText(size))).toEqual(size);
  },
);
