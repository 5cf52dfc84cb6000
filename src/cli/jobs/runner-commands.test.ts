/** The commands about jobs, pools and accounts, on a real PostgreSQL and the embedded API. */
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { npmDatabase } from '../../../test/integration/database/npm-database.ts';
import { FleetHarness } from '../../../lab/harness/fleet-harness.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';
import { poller } from '../../../lab/harness/pool-samples.ts';
import { labels } from '../../api/names/labels.ts';
import { actDraft, draft, endedBy, noon, Fixture } from '../../../lab/contracts/store/harness.ts';
import { PostgresStore } from '../../dispatch/store/postgres/postgres-store.ts';

const namespace = 'tuist-runners';
const deadUrl = 'postgres://user:word@127.0.0.1:1/none';
const database = npmDatabase('runner-commands');
let harness: FleetHarness;
let fixture: Fixture;

beforeEach(async () => {
  for (const table of ['claims', 'sessions', 'jobs', 'deliveries', 'recovery_acts', 'profiles'] as const)
    await database().db.deleteFrom(table).execute();
  fixture = new Fixture(new PostgresStore(database().db, { clock: wallClock }));
  await fixture.account('7', { vcpus: 8, memoryGb: 64 });
  harness = new FleetHarness().install();
  harness.env = { ...harness.env, MUSTER_DATABASE_URL: database().url };
  harness.post('/api/v1/namespaces', { metadata: { name: namespace } });
  // Waits for derived objects, such as the ServiceAccount of every Pod.
  harness.clock.runDue();
});

function pool(): void {
  harness.post(`/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`, {
    apiVersion: 'tuist.dev/v1alpha1',
    kind: 'RunnerPool',
    metadata: { name: 'linux' },
    spec: {
      image: 'runner@sha256:1',
      os: 'linux',
      fleetSelector: 'runners-linux',
      dispatchLabel: 'linux',
      runnerLabels: ['self-hosted'],
      replicas: 2,
    },
  });
}

function pod(name: string, owner?: string): void {
  const marks = {
    [labels.runner.key]: 'true',
    [labels.runnerPool.key]: 'linux',
    ...(owner !== undefined && { [labels.runnerPoolOwner.key]: owner }),
  };
  const spec = { containers: [{ name: 'runner', image: 'runner@sha256:1' }] };
  harness.post(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name, labels: marks }, spec });
}

it('lists waiting and running jobs with their Pods and the counts', async () => {
  await fixture.queued(draft('91'), draft('92'), draft('93'));
  await fixture.serve('linux-runner-1', 'runner-1');
  const { status, out } = await harness.muster('jobs');
  expect(status).toBe(0);
  expect(out).toContain('linux-runner-1');
  expect(out.trimEnd().split('\n').at(-1)).toBe('2 queued, 1 running');
  const json = JSON.parse((await harness.muster('jobs', '--state', 'running', '--json')).out);
  expect(json).toMatchObject({
    jobs: [{ id: '91', state: 'running', account: 'org-7', pod: 'linux-runner-1' }],
  });
});

it('shows completed jobs only with --state completed', async () => {
  await fixture.queued(draft('91'));
  await fixture.deliver({ kind: 'complete', job: draft('91'), end: endedBy('runner-1') });
  expect((await harness.muster('jobs')).out).toBe('no jobs\n');
  expect((await harness.muster('jobs', '--state', 'completed')).out).toContain('success');
});

it('names the Pod that runs or ran a job, also when it was reserved for another job or is gone', async () => {
  await fixture.account('7', { vcpus: 80, memoryGb: 640 });
  await fixture.queued(draft('91'), draft('92'), draft('93'));
  for (const number of [1, 2]) await fixture.serve(`linux-runner-${number}`, `runner-${number}`);
  await fixture.deliver({ kind: 'start', job: draft('92'), runnerName: 'runner-1', at: noon });
  await fixture.deliver({ kind: 'complete', job: draft('91'), end: endedBy('runner-2') });
  await fixture.deliver({ kind: 'complete', job: draft('93'), end: endedBy('stranger') });
  await fixture.stop('linux-runner-2');
  const why = async (id: string): Promise<string> => (await harness.muster('why', `job/${id}`)).out;
  expect(await why('91')).toContain('runner-2, in Pod linux-runner-2 (muster why pod/linux-runner-2)');
  expect(await why('92')).toContain('runner-1, in Pod linux-runner-1 (');
  expect(await why('93')).toContain('stranger, in no known Pod');
  const over = JSON.parse((await harness.muster('jobs', '--state', 'completed', '--json')).out);
  const byId = Object.fromEntries(over.jobs.map((job: { id: string; pod?: string }) => [job.id, job.pod]));
  expect(byId).toEqual({ 91: 'linux-runner-2', 93: undefined });
  expect((await harness.muster('jobs')).out).toMatch(/92 +running .* linux-runner-1 /);
});

it('shows the newest completed jobs, and cuts long results', async () => {
  for (const number of [1, 2, 3]) {
    const job = draft(`9${number}`, { queuedAt: noon + number, repository: `org/${'r'.repeat(60)}` });
    const end = { ...endedBy('runner-1'), conclusion: 'x'.repeat(200) };
    await fixture.deliver({ kind: 'complete', job, end });
  }
  const { out } = await harness.muster('jobs', '--state', 'completed', '--limit', '2');
  const lines = out.trimEnd().split('\n');
  expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual(['93', '92', '2']);
  expect(lines.at(-1)).toBe('2 completed, the newest 2; more with --limit');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

it('shows for each pool the waiting jobs and the jobs held back by limits', async () => {
  await fixture.queued(draft('91'), draft('92'), draft('93'));
  await fixture.serve('linux-runner-1', 'runner-1');
  const [pools] = Object.values(JSON.parse((await harness.muster('queue', '--json')).out));
  expect(pools).toMatchObject([{ pool: 'linux', claimed: 1, queued: 1, withheld: 1, occupied: 1 }]);
  expect((await harness.muster('queue')).out).toContain('HELD BACK');
});

it('shows every pool with jobs in the queue, and says where the other pools are', async () => {
  pool();
  expect((await harness.muster('queue')).out).toBe('nothing waits and nothing runs\n');
  expect((await harness.muster('queue', '--help')).out).toContain('Pools without jobs are in: muster pools');
  await fixture.queued(draft('91'));
  await sql`
    insert into jobs select (jsonb_populate_record(job, jsonb_build_object('id', 'more-' || number))).*
    from jobs job, generate_series(1, 10000) number`.execute(database().db);
  await fixture.queued(draft('92', { pool: 'mac', queuedAt: noon + 1 }));
  const { pools } = JSON.parse((await harness.muster('queue', '--json')).out);
  expect(pools).toMatchObject([{ pool: 'linux' }, { pool: 'mac' }]);
});

it('lists pools with their Pods', async () => {
  pool();
  pod('linux-runner-1');
  pod('linux-runner-2', 'org-7');
  const json = JSON.parse((await harness.muster('pools', '--json')).out);
  expect(json).toMatchObject({
    pools: [{ name: 'linux', wanted: 2, alive: 2, idle: 1, busy: 1, oldImage: 0 }],
  });
  expect((await harness.muster('pools', '-n', 'elsewhere')).out).toBe('no RunnerPools in elsewhere\n');
});

it('sets a limit after the confirmation, and shows the usage', async () => {
  await fixture.queued(draft('91'));
  await fixture.claim('linux-runner-1');
  const limit = ['accounts', 'limit', 'org-7', '--vcpus', '16'];
  const refused = await harness.muster(...limit);
  expect([refused.status, refused.err]).toEqual([
    1,
    'error: nothing was changed: there is no terminal for a confirmation; add --yes to do it\n',
  ]);
  expect((await harness.muster('accounts')).out).toContain('4/8 cores, 8/64 GB');
  const done = await harness.muster(...limit, '--yes');
  expect(done.out).toContain('org-7 (7) on linux: 8 cores and 64 GB become 16 cores and 64 GB');
  expect((await harness.muster('accounts')).out).toContain('4/16 cores, 8/64 GB');
  expect((await harness.muster(...limit, '--yes')).out).toContain('the limit is 16 cores and 64 GB already');
});

it('adds an account whose webhook was missed', async () => {
  const add = ['accounts', 'add', 'octo-org', '--id', '4711', '--installation', '815', '--yes', '--json'];
  expect(JSON.parse((await harness.muster(...add)).out)).toMatchObject({
    done: ['account octo-org (4711), with the App as installation 815'],
  });
  expect(await fixture.store.installation('815')).toMatchObject({ accountId: '4711', state: 'active' });
});

it('gives an added account the profile linux where sizes are configured', async () => {
  harness.env = { ...harness.env, MUSTER_LINUX_SHAPES: '2vcpu-8gb,4vcpu-16gb' };
  await harness.muster('accounts', 'add', 'new-org', '--id', '4712', '--installation', '816', '--yes');
  const { out } = await harness.muster('accounts', 'profile', 'list', 'new-org', '--json');
  expect(JSON.parse(out)).toEqual({
    profiles: [
      {
        accountId: '4712',
        name: 'linux',
        platform: 'linux',
        vcpus: 2,
        memoryGb: 8,
        isProtected: true,
        label: 'tuist-linux',
        pool: 'linux-2vcpu-8gb',
      },
    ],
  });
  const remove = await harness.muster('accounts', 'profile', 'remove', 'new-org', 'linux', '--yes');
  expect([remove.status, remove.err]).toEqual([1, 'error: linux is protected and cannot be removed\n']);
});

it('sets, lists and removes a profile after the confirmation', async () => {
  const profile = ['accounts', 'profile'];
  expect((await harness.muster(...profile, 'list', 'org-7')).out).toBe('org-7 has no profiles\n');
  harness.env = {
    ...harness.env,
    MUSTER_LINUX_SHAPES: '2vcpu-8gb',
    MUSTER_LINUX_POOL_PREFIX: 'ci-linux',
    MUSTER_PROFILE_LABEL_PREFIX: 'ci-',
  };
  const set = [...profile, 'set', 'org-7', ' Large ', '--vcpus', '8', '--memory-gb', '32'];
  expect((await harness.muster(...set)).err).toContain('add --yes to do it');
  const { out } = await harness.muster(...set, '--yes');
  expect(out).toContain('org-7 (7): profile large on linux, new, 8vcpu-32gb');
  expect(out).toContain('jobs with the label ci-large run on the pool ci-linux-8vcpu-32gb');
  expect(out).toContain('no configured size matches (there are 2vcpu-8gb)');
  expect((await harness.muster(...set, '--yes')).out).toContain('the size is 8vcpu-32gb already');
  const more = await harness.muster(
    ...profile,
    'set',
    'org-7',
    'large',
    '--memory-gb',
    '64',
    '--yes',
    '--json',
  );
  expect(JSON.parse(more.out)).toMatchObject({
    done: ['org-7 (7): profile large on linux, 8vcpu-32gb becomes 8vcpu-64gb'],
  });
  expect((await harness.muster(...profile, 'list', 'org-7')).out).toContain('ci-linux-8vcpu-64gb');
  const remove = [...profile, 'remove', 'org-7', 'LARGE', '--yes'];
  expect((await harness.muster(...remove)).out).toContain('remove the profile large (8vcpu-64gb)');
  expect((await harness.muster(...remove)).out).toContain('org-7 has no profile large\nnothing to do');
  expect(await fixture.store.profiles('7')).toEqual([]);
});

it('says why a profile is invalid', async () => {
  const size = ['--vcpus', '2', '--memory-gb', '8', '--yes'];
  const set = async (name: string, ...more: readonly string[]): Promise<string> =>
    (await harness.muster('accounts', 'profile', 'set', 'org-7', name, ...more)).err;
  for (let number = 0; number < 10; number += 1) await set(`size-${number}`, ...size);
  expect(await set('more', ...size)).toContain('10 profiles at most; remove one first');
  expect(await set('4cores', ...size)).toContain('"4cores" is not a valid profile name');
  expect(await set('Tuist', ...size)).toContain('tuist is reserved');
  expect(await set('size-1', '--platform', 'macos', ...size)).toContain(
    'platform of size-1 cannot be changed',
  );
  expect(await set('size-1', '--vcpus', '2000', '--yes')).toContain('2000vcpu-8gb is not a valid size');
  expect(await set('other', '--vcpus', '2', '--yes')).toContain('needs --vcpus and --memory-gb');
});

it('says why a job waits: at the limit of its account, or for a Pod', async () => {
  await fixture.queued(draft('91'), draft('92'), draft('93'));
  expect((await harness.muster('why', 'job/91')).out).toContain('no Pod of linux has polled for the job yet');
  await fixture.claim('linux-runner-1');
  await fixture.claim('linux-runner-2');
  const { out } = await harness.muster('why', 'job/93');
  expect(out).toContain('its account is at its limit: 8 of 8 cores');
  expect(out).toContain('muster accounts limit');
});

it('shows what the recovery did to a job, with the evidence', async () => {
  await fixture.queued(draft('91'));
  await fixture.store.record({ ...actDraft('act-1', { jobId: '91' }), outcome: 'requeued' });
  expect((await harness.muster('why', 'job/91')).out).toContain('requeued; {"seen":"twice","ageMs":5}');
});

it('shows the claim and session of a Pod, and says when both are missing', async () => {
  pod('linux-runner-1', 'org-7');
  pod('linux-runner-2', 'org-7');
  await fixture.queued(draft('91'));
  await fixture.serve('linux-runner-1', 'runner-1');
  expect((await harness.muster('why', 'pod/linux-runner-1')).out).toContain(
    'the Pod was handed a registration',
  );
  expect((await harness.muster('why', 'pod/linux-runner-2')).out).toContain('neither a claim nor a session');
});

it('shows what a deleted Pod did', async () => {
  await fixture.queued(draft('91'));
  await fixture.serve('linux-runner-1', 'runner-1');
  await fixture.stop('linux-runner-1');
  const { out } = await harness.muster('why', 'pod/linux-runner-1');
  expect(out).toMatch(/runner runner-1 for job 91, ended \S+ ago/);
  expect(out).toContain('the Pod is gone after its one job; see: muster why job/91');
});

it('says whether jobs wait for Pods, or dispatch does not hand out jobs', async () => {
  pool();
  await fixture.queued(draft('91'));
  expect((await harness.muster('why', 'pool/linux')).out).toContain('jobs wait for Pods: 2 of 2 are missing');
  pod('linux-runner-1');
  harness.patch(`/api/v1/namespaces/${namespace}/pods/linux-runner-1/status`, {
    status: poller({ running: {} }),
  });
  expect((await harness.muster('why', 'pool/linux')).out).toContain('jobs wait although Pods poll for them');
});

it('shows what the cluster knows of a pool when the database does not answer, and fails', async () => {
  pool();
  const { status, out, err } = await harness.muster('why', 'pool/linux', '--database-url', deadUrl);
  expect([status, err]).toEqual([1, expect.stringContaining('error: the database does not answer')]);
  expect(out).toContain('0 of 2: 0 idle, 0 busy');
  expect(out).toContain('not known: the database does not answer');
  expect(out).not.toContain('word');
  const json = await harness.muster('why', 'pool/linux', '--json', '--database-url', deadUrl);
  expect(JSON.parse(json.out)).toMatchObject({ wanted: 2, signalsUnknown: expect.any(String) });
  harness.env = { ...harness.env, MUSTER_DATABASE_URL: '' };
  const without = await harness.muster('why', 'pool/linux');
  expect([without.status, without.out]).toEqual([0, expect.stringContaining('give --database-url')]);
});

it.for([
  [['jobs', '--state', 'lost'], 64, "argument 'lost' is invalid"],
  [['jobs', '--account', 'nobody'], 1, 'error: there is no account nobody; see muster accounts'],
  [['jobs', '--database-url', 'mysql://x'], 1, 'error: the database URL must look like postgres://'],
  [['accounts', 'limit', 'org-7'], 64, 'error: give --vcpus, --memory-gb, or both'],
  [['accounts', 'limit', 'org-7', '--vcpus', '-1'], 64, 'It must be a whole number from 0.'],
  [['accounts', 'add', 'octo org', '--id', '1', '--installation', '1'], 64, 'It must be a login at GitHub.'],
  [['accounts', 'add', 'octo', '--id', 'x', '--installation', '1'], 64, 'the number that GitHub assigned'],
  [['accounts', 'profile', 'set', 'org-7', 'a'], 64, 'error: give --vcpus, --memory-gb, or both'],
  [['accounts', 'profile', 'set', 'org-7', 'a', '--vcpus', '0'], 64, 'It must be a whole number from 1.'],
  [['accounts', 'profile', 'list', 'nobody'], 1, 'error: there is no account nobody; see muster accounts'],
  [['why', 'job/'], 64, 'It must be job/ID.'],
  [['why', 'pod/a/b'], 64, 'It must be pod/NAME.'],
  [['why', 'machine/'], 64, 'It must be machine/NAMESPACE/NAME.'],
  [['why', 'host'], 64, 'It must be one of host/ID or host/NAME, machine/NAMESPACE/NAME, job/ID'],
  [
    ['why', 'foo/bar'],
    1,
    'there is no machine "foo/bar"; see: muster machines; other objects are typed as host/',
  ],
  [['why', 'foo/bar/baz'], 64, 'It must be one of host/ID or host/NAME, machine/NAMESPACE/NAME, job/ID'],
  [['why', 'job/1'], 1, 'error: dispatch knows no job 1; see: muster jobs'],
  [
    ['why', 'pod/none'],
    1,
    'error: there is no Pod none in tuist-runners, and dispatch does not know it either',
  ],
  [['why', 'pool/none'], 1, 'error: there is no RunnerPool none in tuist-runners'],
] as const)('%j is refused with %i', async ([args, status, message]) => {
  const said = await harness.muster(...args);
  expect([said.status, said.err]).toEqual([status, expect.stringContaining(message)]);
});

it('says what to do without a database URL, or without tables', async () => {
  harness.env = {};
  expect((await harness.muster('queue')).err).toBe(
    'error: no database: give --database-url <url>, or set MUSTER_DATABASE_URL\n',
  );
  const { err } = await harness.muster(
    'queue',
    '--database-url',
    database().url.replace('/postgres', '/template1'),
  );
  expect(err).toContain('start `muster dispatch` of this version, which creates them');
  const closed = await harness.muster('queue', '--database-url', deadUrl);
  expect([closed.status, closed.err.includes('word')]).toEqual([1, false]);
});
