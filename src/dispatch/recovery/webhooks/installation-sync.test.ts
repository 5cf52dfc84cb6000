import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness } from '../../../../lab/harness/recovery-harness.ts';
import type { Installation } from '../../store/rows.ts';
import { activeRoundRobin, InstallationSync } from './installation-sync.ts';

const hour = 60 * minute;

let harness: RecoveryHarness;
let worker: InstallationSync;

beforeEach(async () => {
  harness = new RecoveryHarness();
  worker = new InstallationSync(harness.ports);
  await harness.clock.pass(minute);
});

/** As our rows have it, whatever GitHub says. */
async function countsAs(state: Installation['state'], which = 0): Promise<string> {
  const { id, account } = atGitHub(which);
  const row = { id, accountId: account.id, state };
  await harness.store.apply({
    kind: 'install',
    account: { id: account.id, login: account.login },
    installation: row,
  });
  return id;
}

function atGitHub(which = 0) {
  const installation = harness.site.directory.installations[which];
  if (installation === undefined) throw new Error('the stand has no such installation');
  return installation;
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await harness.store.installation(id))?.state;
}

/** As many turns as there are in this time. */
async function rounds(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += worker.everyMs) await harness.round(worker, worker.everyMs);
}

it('an installation that nobody told us works again is found to', async () => {
  const id = await countsAs('suspended');
  await harness.round(worker, minute);
  expect(await stateOf(id)).toBe('active');
  expect(await harness.store.acts({ limit: 5 })).toMatchObject([
    { kind: 'installation_found', evidence: { installation: id, was: 'suspended', github: 'active' } },
  ]);
});

it('one that is suspended stays so, and nothing is written down', async () => {
  const id = await countsAs('suspended');
  atGitHub().state = 'suspended';
  await harness.round(worker, minute);
  expect([await stateOf(id), await harness.store.acts({ limit: 5 })]).toEqual(['suspended', []]);
});

it('one that was suspended without a word is found to be within the hour', async () => {
  const id = await countsAs('active');
  atGitHub().state = 'suspended';
  await rounds(hour);
  expect(await stateOf(id)).toBe('suspended');
});

it('one that was removed without a word counts as suspended within the hour, and as removed after another look', async () => {
  const [id] = [await countsAs('active'), await countsAs('active', 1)];
  atGitHub().state = 'removed';
  await rounds(2 * hour);
  expect(await stateOf(id)).toBe('removed');
  const evidence = { installation: id, github: 'removed' };
  expect((await harness.store.acts({ limit: 5 })).toReversed()).toMatchObject([
    { kind: 'installation_found', evidence: { ...evidence, was: 'active' } },
    { kind: 'installation_found', evidence: { ...evidence, was: 'suspended' } },
  ]);
});

it('where GitHub knows none of them, none counts as removed, and all work again when it does', async () => {
  const ids = [await countsAs('active'), await countsAs('suspended', 1)];
  for (const which of [0, 1]) atGitHub(which).state = 'removed';
  await rounds(3 * hour);
  expect(await Promise.all(ids.map(stateOf))).toEqual(['suspended', 'suspended']);
  for (const which of [0, 1]) atGitHub(which).state = 'active';
  await rounds(worker.everyMs);
  expect(await Promise.all(ids.map(stateOf))).toEqual(['active', 'active']);
});

it('one that counts as removed is not asked about', async () => {
  await countsAs('removed');
  await rounds(hour);
  expect(harness.asked).toEqual([]);
});

it('one that counts as active is asked about once an hour', async () => {
  await countsAs('active');
  await rounds(3 * hour);
  expect(harness.asked).toHaveLength(3);
});

describe('of installations that count as active', () => {
  const many = Array.from({ length: 95 }, (_, index): Installation => {
    return { id: `${index}`, accountId: '7', state: 'active' };
  });

  it('a few are asked about in a turn, and each in its turn', () => {
    const asked = Array.from({ length: 10 }, (_, round) => activeRoundRobin(many, round * worker.everyMs));
    expect(Math.max(...asked.map(({ length }) => length))).toBe(10);
    expect(asked.flat().toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(many);
  });
});
