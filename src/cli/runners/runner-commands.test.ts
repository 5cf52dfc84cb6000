/** The commands about jobs, pools and accounts, on a real PostgreSQL and the embedded API. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startNpmPostgres } from '../../../test/database/npm-postgres.ts';
import { FleetStand } from '../../../test/fleet-stand.ts';
import { Workplace } from '../../../test/real/launch/workplace.ts';
import { labels } from '../../api/labels.ts';
import { actDraft, draft, endedBy, Stage } from '../../dispatch/store/contract/stage.ts';
import { openDatabase, type Database } from '../../dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../dispatch/store/postgres/postgres-store.ts';

const namespace = 'tuist-runners';
let workplace: Workplace;
let database: Database;
let url: string;
let stand: FleetStand;
let stage: Stage;

beforeAll(async () => {
  workplace = await Workplace.open('runner-commands');
  const { port, user } = await startNpmPostgres(workplace);
  url = `postgres://${user}@127.0.0.1:${port}/postgres`;
  database = await openDatabase({ url, connectionsMax: 2, onLost: () => undefined });
});

afterAll(async () => {
  await database?.close();
  await workplace?.close();
});

beforeEach(async () => {
  for (const table of ['claims', 'sessions', 'jobs', 'deliveries', 'recovery_acts'] as const)
    await database.db.deleteFrom(table).execute();
  stage = new Stage(new PostgresStore(database.db));
  await stage.account('7', { vcpus: 8, memoryGb: 64 });
  stand = new FleetStand().install();
  stand.env = { ...stand.env, MUSTER_DATABASE_URL: url };
  stand.post('/api/v1/namespaces', { metadata: { name: namespace } });
  // What follows from it, such as the ServiceAccount that every Pod has.
  stand.clock.runDue();
});

function pool(): void {
  stand.post(`/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`, {
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
  stand.post(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name, labels: marks }, spec });
}

it('lists jobs that wait or run, with their Pods, and says how many there are', async () => {
  await stage.queued(draft('91'), draft('92'), draft('93'));
  await stage.serve('linux-runner-1', 'runner-1');
  const { status, out } = await stand.muster('jobs');
  expect(status).toBe(0);
  expect(out).toContain('linux-runner-1');
  expect(out.trimEnd().split('\n').at(-1)).toBe('2 queued, 1 running');
  const json = JSON.parse((await stand.muster('jobs', '--state', 'running', '--json')).out);
  expect(json).toMatchObject({
    jobs: [{ id: '91', state: 'running', account: 'org-7', pod: 'linux-runner-1' }],
  });
});

it('shows jobs that are over only when asked for', async () => {
  await stage.queued(draft('91'));
  await stage.deliver({ kind: 'complete', job: draft('91'), end: endedBy('runner-1') });
  expect((await stand.muster('jobs')).out).toBe('no jobs\n');
  expect((await stand.muster('jobs', '--state', 'completed')).out).toContain('success');
});

it('says of each pool what waits and what limits hold back', async () => {
  await stage.queued(draft('91'), draft('92'), draft('93'));
  await stage.serve('linux-runner-1', 'runner-1');
  const [pools] = Object.values(JSON.parse((await stand.muster('queue', '--json')).out));
  expect(pools).toMatchObject([{ pool: 'linux', claimed: 1, queued: 1, withheld: 1, occupied: 1 }]);
  expect((await stand.muster('queue')).out).toContain('HELD BACK');
});

it('lists pools with their Pods', async () => {
  pool();
  pod('linux-runner-1');
  pod('linux-runner-2', 'org-7');
  const json = JSON.parse((await stand.muster('pools', '--json')).out);
  expect(json).toMatchObject({
    pools: [{ name: 'linux', wanted: 2, alive: 2, idle: 1, busy: 1, oldImage: 0 }],
  });
  expect((await stand.muster('pools', '-n', 'elsewhere')).out).toBe('no RunnerPools in elsewhere\n');
});

it('limits an account after it was agreed to, and shows what is in use', async () => {
  await stage.queued(draft('91'));
  await stage.claim('linux-runner-1');
  const limit = ['accounts', 'limit', 'org-7', '--vcpus', '16'];
  const refused = await stand.muster(...limit);
  expect([refused.status, refused.err]).toEqual([
    1,
    'error: nothing was changed: there is no terminal to ask on; add --yes to do it\n',
  ]);
  expect((await stand.muster('accounts')).out).toContain('4/8 cores, 8/64 GB');
  const done = await stand.muster(...limit, '--yes');
  expect(done.out).toContain('org-7 on linux: 8 cores and 64 GB become 16 cores and 64 GB');
  expect((await stand.muster('accounts')).out).toContain('4/16 cores, 8/64 GB');
  expect((await stand.muster(...limit, '--yes')).out).toContain('it is 16 cores and 64 GB already');
});

it('adds an account that GitHub told nobody of', async () => {
  const add = ['accounts', 'add', 'octo-org', '--id', '4711', '--installation', '815', '--yes', '--json'];
  expect(JSON.parse((await stand.muster(...add)).out)).toMatchObject({
    done: ['account octo-org (4711), with the App as installation 815'],
  });
  expect(await stage.store.installation('815')).toMatchObject({ accountId: '4711', state: 'active' });
});

it('says why a job waits: at the limit of its account, or for a Pod', async () => {
  await stage.queued(draft('91'), draft('92'), draft('93'));
  expect((await stand.muster('why', 'job/91')).out).toContain('no Pod of linux has asked for it yet');
  await stage.claim('linux-runner-1');
  await stage.claim('linux-runner-2');
  const { out } = await stand.muster('why', 'job/93');
  expect(out).toContain('its account is at its limit: 8 of 8 cores');
  expect(out).toContain('muster accounts limit');
});

it('says what the recovery did to a job, and on what evidence', async () => {
  await stage.queued(draft('91'));
  await stage.store.record({ ...actDraft('act-1', { jobId: '91' }), outcome: 'requeued' });
  expect((await stand.muster('why', 'job/91')).out).toContain('requeued; {"seen":"twice","ageMs":5}');
});

it('says who speaks for a Pod, and for which Pods nobody does', async () => {
  pod('linux-runner-1', 'org-7');
  pod('linux-runner-2', 'org-7');
  await stage.queued(draft('91'));
  await stage.serve('linux-runner-1', 'runner-1');
  expect((await stand.muster('why', 'pod/linux-runner-1')).out).toContain('it was handed a registration');
  expect((await stand.muster('why', 'pod/linux-runner-2')).out).toContain('neither a claim nor a session');
});

it('says whether jobs wait for Pods, or Pods for somebody who hands out jobs', async () => {
  pool();
  await stage.queued(draft('91'));
  expect((await stand.muster('why', 'pool/linux')).out).toContain('jobs wait for Pods: the pool is full');
  pod('linux-runner-1');
  expect((await stand.muster('why', 'pool/linux')).out).toContain('jobs wait although Pods are idle');
});

it.for([
  [['jobs', '--state', 'lost'], 64, "argument 'lost' is invalid"],
  [['jobs', '--account', 'nobody'], 1, 'error: there is no account nobody; see muster accounts'],
  [['jobs', '--database-url', 'mysql://x'], 1, 'error: the database is given as postgres://'],
  [['accounts', 'limit', 'org-7'], 64, 'error: give --vcpus, --memory-gb, or both'],
  [['accounts', 'limit', 'org-7', '--vcpus', '-1'], 64, 'It must be a whole number from 0.'],
  [['accounts', 'add', 'octo org', '--id', '1', '--installation', '1'], 64, 'It must be a login at GitHub.'],
  [['accounts', 'add', 'octo', '--id', 'x', '--installation', '1'], 64, 'the number that GitHub gave it'],
  [['why', 'job/1'], 1, 'error: dispatch knows no job 1; muster jobs lists those it knows'],
  [['why', 'pod/none'], 1, 'error: there is no Pod none in tuist-runners, and dispatch knows none'],
  [['why', 'pool/none'], 1, 'error: there is no RunnerPool none in tuist-runners'],
] as const)('%j is refused with %i', async ([args, status, message]) => {
  const said = await stand.muster(...args);
  expect([said.status, said.err]).toEqual([status, expect.stringContaining(message)]);
});

it('says what to do where no database was named, or where it has no tables', async () => {
  stand.env = {};
  expect((await stand.muster('queue')).err).toBe(
    'error: no database: give --database-url <url>, or set MUSTER_DATABASE_URL\n',
  );
  const { err } = await stand.muster('queue', '--database-url', url.replace('/postgres', '/template1'));
  expect(err).toContain('`muster dispatch` of the same version makes them when it starts');
  const closed = await stand.muster('queue', '--database-url', 'postgres://user:word@127.0.0.1:1/none');
  expect([closed.status, closed.err.includes('word')]).toEqual([1, false]);
});
