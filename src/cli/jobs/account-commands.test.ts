/** Commands about accounts never act on another account. On a real PostgreSQL. */
import { beforeEach, describe, expect, it } from 'vitest';
import { npmDatabase } from '../../../test/integration/database/npm-database.ts';
import { FleetHarness } from '../../../lab/harness/fleet-harness.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';
import { draft, Fixture } from '../../../lab/contracts/store/harness.ts';
import { PostgresStore } from '../../dispatch/store/postgres/postgres-store.ts';

const database = npmDatabase('account-commands');
let harness: FleetHarness;
let fixture: Fixture;

beforeEach(async () => {
  for (const table of ['jobs', 'deliveries', 'profiles', 'limits', 'installations', 'accounts'] as const)
    await database().db.deleteFrom(table).execute();
  fixture = new Fixture(new PostgresStore(database().db, { clock: wallClock }));
  await fixture.account('7');
  harness = new FleetHarness().install();
  harness.env = { ...harness.env, MUSTER_DATABASE_URL: database().url };
});

function add(login: string, id: string, ...more: readonly string[]) {
  return harness.muster('accounts', 'add', login, '--id', id, ...more);
}

describe('where two accounts have the same login', () => {
  const message = 'org-7 means 2 accounts: id:12345 is Org-7, id:7 is org-7; name the account by its id';
  beforeEach(async () => {
    await add('Org-7', '12345', '--installation', '99', '--yes');
    await fixture.queued(draft('91'), draft('92', { accountId: '12345', installationId: '99' }));
  });

  it.for([
    [['jobs', '--account', 'org-7']],
    [['accounts', 'limit', 'org-7', '--vcpus', '1', '--yes']],
    [['accounts', 'profile', 'list', 'org-7']],
    [['accounts', 'profile', 'set', 'org-7', 'large', '--vcpus', '1', '--memory-gb', '1', '--yes']],
    [['accounts', 'profile', 'remove', 'org-7', 'large', '--yes']],
  ] as const)('%j is refused, and names the ids of both accounts', async ([args]) => {
    const before = [await fixture.store.usage(), await fixture.store.profiles('7')];
    const { status, err } = await harness.muster(...args);
    expect([status, err]).toEqual([1, `error: ${message}\n`]);
    expect([await fixture.store.usage(), await fixture.store.profiles('7')]).toEqual(before);
  });

  it.for([
    ['12345', '92'],
    ['id:12345', '92'],
    ['7', '91'],
  ] as const)('%s is one of them', async ([typed, job]) => {
    const { jobs } = JSON.parse((await harness.muster('jobs', '--account', typed, '--json')).out);
    expect(jobs).toMatchObject([{ id: job }]);
  });

  it('the plan of a change names the account with its id', async () => {
    const { out } = await harness.muster('accounts', 'limit', 'id:12345', '--vcpus', '5', '--yes');
    expect(out).toContain('Org-7 (12345) on linux: ');
  });
});

it('rejects a login that is the id of another account', async () => {
  await add('7', '12345', '--installation', '99', '--yes');
  expect((await harness.muster('jobs', '--account', '7')).err).toContain('7 means 2 accounts');
  expect((await harness.muster('jobs', '--account', 'id:7')).out).toBe('no jobs\n');
});

describe('accounts add', () => {
  it('warns that another account has that login, and asks for a confirmation', async () => {
    const asked = await add('ORG-7', '12345', '--installation', '99');
    expect([asked.status, asked.out]).toEqual([
      1,
      expect.stringContaining('another account is called org-7 already, with the id 7'),
    ]);
    expect(await fixture.store.account('12345')).toBeUndefined();
    expect((await add('ORG-7', '12345', '--installation', '99', '--yes')).status).toBe(0);
    expect(await fixture.store.account('12345')).toEqual({ id: '12345', login: 'ORG-7' });
  });

  it('moves an installation from another account only with --move-installation, and names that account', async () => {
    const { status, err } = await add('other-org', '78', '--installation', '7', '--yes');
    expect([status, err]).toEqual([1, expect.stringContaining('installation 7 is that of org-7 (7)')]);
    expect(err).toContain('add --move-installation');
    expect(await fixture.store.installation('7')).toMatchObject({ accountId: '7' });
    expect(await fixture.store.account('78')).toBeUndefined();
    const done = await add('other-org', '78', '--installation', '7', '--move-installation', '--yes');
    expect(done.out).toContain('installation 7 is taken from org-7 (7)');
    expect(await fixture.store.installation('7')).toMatchObject({ accountId: '78' });
  });

  it('refuses an installation that was removed, and says what to do', async () => {
    await fixture.installed('7', 'removed');
    for (const more of [['--yes'], ['--move-installation', '--yes']]) {
      const { status, err } = await add('org-7', '7', '--installation', '7', ...more);
      expect([status, err]).toEqual([1, expect.stringContaining('installation 7 was removed')]);
    }
    expect((await add('org-7', '7', '--installation', '70', '--yes')).status).toBe(0);
    expect(await fixture.store.installation('70')).toMatchObject({ state: 'active' });
  });

  it('may be repeated for the same account', async () => {
    expect((await add('org-7', '7', '--installation', '7', '--yes')).out).not.toContain('another account');
  });
});
