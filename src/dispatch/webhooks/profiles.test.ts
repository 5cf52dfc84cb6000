/** Where webhooks of jobs go, by the pool or the profile that they name, with a store in memory behind the ingress. */
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

  /** GitHub tells that the App is there. The installation has the id of the account. */
  async installed(id: number): Promise<void> {
    await this.#send('installation', {
      action: 'created',
      installation: { id, account: { id, login: `org-${id}` } },
    });
  }

  /** What became of a webhook about the job. */
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

describe('a job with more labels than that of its pool or profile', () => {
  it.for([
    ['goes where runners have them all, in whatever case', ['shape-2', 'gpu', 'LINUX'], 'changed'],
    [
      'is ignored where runners are registered without them',
      ['fleet-large', 'Self-Hosted'],
      'no_runner_with_labels',
    ],
    ['is ignored where it wants another system', ['shape-2', 'macOS'], 'no_runner_with_labels'],
    ['is ignored where no pool says what it wants', ['shape-2', 'X64'], 'no_runner_with_labels'],
    ['is ignored where no runner has one of them', ['shape-2', 'gpu', 'fpga'], 'no_runner_with_labels'],
    ['is ignored where only another pool has it', ['fleet-large', 'gpu'], 'no_runner_with_labels'],
    ['goes by its profile where runners have them', ['fleet-small', 'gpu'], 'changed'],
    ['is ignored with a profile too', ['fleet-small', 'fpga'], 'no_runner_with_labels'],
    ['is ignored with a profile and a pool', ['fleet-small', 'shape-2'], 'no_runner_with_labels'],
  ] as const)('%s', async ([, labels, outcome]) => {
    expect(await harness.says('queued', labels)).toBe(outcome);
  });

  it.for(['in_progress', 'completed'])(
    'that was taken is found by %s after its pool lost one',
    async (action) => {
      await harness.says('queued', ['shape-2', 'gpu']);
      harness.pools = harness.pools.map((pool) => ({ ...pool, runnerLabels: [] }));
      expect(await harness.says(action, ['shape-2', 'gpu'])).toBe('changed');
    },
  );
});

describe('a job with the label of a profile', () => {
  it('goes to the pool of its size, and its runner shall have that label', async () => {
    expect(await harness.says('queued', ['self-hosted', 'FLEET-Small'])).toBe('changed');
    expect(await harness.store.job('1')).toMatchObject({
      pool: 'ci-linux-2vcpu-8gb',
      label: 'Fleet-small',
      shape: { platform: 'linux', ...size },
    });
  });

  it('goes to that of its own account, where another has one of the same name', async () => {
    await harness.installed(8);
    await harness.store.putProfile({ ...small, accountId: '8', vcpus: 4, memoryGb: 16 });
    await harness.says('queued', ['fleet-small'], { account: 8 });
    expect(await harness.store.job('1')).toMatchObject({ accountId: '8', pool: 'ci-linux-4vcpu-16gb' });
  });

  it('goes by the profile also where a pool has the same label', async () => {
    expect(await harness.says('queued', ['fleet-large'])).toBe('changed');
    expect((await harness.store.job('1'))?.pool).toBe('ci-linux-4vcpu-16gb');
    await harness.store.putProfile({ ...small, name: 'large' });
    await harness.says('queued', ['fleet-large'], { id: 2 });
    expect((await harness.store.job('2'))?.pool).toBe('ci-linux-2vcpu-8gb');
  });

  it('is ignored where no pool has that size, even if a pool has the same label', async () => {
    await harness.store.putProfile({ ...small, name: 'large', vcpus: 64 });
    expect(await harness.says('queued', ['fleet-large'])).toBe('no_pool_for_profile');
    expect(await harness.store.job('1')).toBeUndefined();
  });

  it('is ignored where two profiles are meant: its runner could have the label of one only', async () => {
    await harness.store.putProfile({ ...small, name: 'tiny' });
    expect(await harness.says('queued', ['fleet-small', 'fleet-tiny'])).toBe('ambiguous_profile');
  });

  it('is ignored where its account has no such profile', async () => {
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

  it('is found when its repository has another owner by the time it ends', async () => {
    await harness.says('queued', ['fleet-small']);
    await harness.installed(8);
    expect(await harness.says('completed', ['fleet-small'], { account: 8 })).toBe('changed');
  });

  it('is found after its pool was removed, and stays where it is when its profile becomes larger', async () => {
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
    ['in_progress', 'its pool is going', without],
    ['completed', 'its pool is going', without],
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

  it('goes to no pool that is going', async () => {
    harness.pools = without(harness.pools);
    expect(await harness.says('queued', ['shape-2'])).toBe('no_matching_pool');
    expect(harness.read).toEqual([]);
  });

  it('is not looked for where its pool is there', async () => {
    await harness.says('queued', ['shape-2']);
    expect(await harness.says('completed', ['shape-2'])).toBe('changed');
    expect(harness.read).toEqual([]);
  });
});

it('a job that names no profile costs no look at profiles', async () => {
  expect(await harness.says('queued', ['self-hosted', 'Shape-2'])).toBe('changed');
  expect((await harness.store.job('1'))?.label).toBe('shape-2');
  expect(harness.read).toEqual([]);
  await harness.says('queued', ['fleet-small'], { id: 2 });
  await harness.says('completed', ['fleet-small'], { id: 2 });
  expect(harness.read).toEqual(['job', 'profiles', 'job']);
});

it('an account that GitHub tells of gets the profile linux, of the first size', async () => {
  expect(await harness.store.profiles('7')).toContainEqual({ ...small, name: 'linux', isProtected: true });
  expect(await harness.says('queued', ['fleet-linux'])).toBe('changed');
});

it('pools of Macs are called by another prefix', () => {
  const profile = { ...small, platform: 'macos', isProtected: false } as const;
  expect(profileRoute(profile, settings)).toEqual({ label: 'Fleet-small', pool: 'ci-macos-2vcpu-8gb' });
});

it.for(['0vcpu-8gb', '2vcpu-08gb', '2-8', '2vcpu-8gb ', '2vcpu-8GB', '1000vcpu-1gb'])(
  '%j is no size',
  (text) => {
    expect(sizeOf(text)).toBeUndefined();
    expect(sizeText(size)).toBe('2vcpu-8gb');
    expect(sizeOf(sizeText(size))).toEqual(size);
  },
);
