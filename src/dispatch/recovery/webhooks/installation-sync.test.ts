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

/** The stored state, whatever GitHub says. */
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
  if (installation === undefined) throw new Error('the harness has no such installation');
  return installation;
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await harness.store.installation(id))?.state;
}

/** All runs within this time. */
async function rounds(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += worker.everyMs) await harness.round(worker, worker.everyMs);
}

it('an unsuspended installation becomes active although the webhook was lost', async () => {
  const id = await countsAs('suspended');
  await harness.round(worker, minute);
  expect(await stateOf(id)).toBe('active');
  expect(await harness.store.acts({ limit: 5 })).toMatchObject([
    { kind: 'installation_found', evidence: { installation: id, was: 'suspended', github: 'active' } },
  ]);
});

it('a suspended installation stays suspended, without an audit record', async () => {
  const id = await countsAs('suspended');
  atGitHub().state = 'suspended';
  await harness.round(worker, minute);
  expect([await stateOf(id), await harness.store.acts({ limit: 5 })]).toEqual(['suspended', []]);
});

it('a suspension without a webhook is found within the hour', async () => {
  const id = await countsAs('active');
  atGitHub().state = 'suspended';
  await rounds(hour);
  expect(await stateOf(id)).toBe('suspended');
});

it('after a removal without a webhook an installation becomes suspended within the hour, then removed at the next look', async () => {
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

it('if GitHub knows no installation, none becomes removed, and all become active when GitHub knows them again', async () => {
  const ids = [await countsAs('active'), await countsAs('suspended', 1)];
  for (const which of [0, 1]) atGitHub(which).state = 'removed';
  await rounds(3 * hour);
  expect(await Promise.all(ids.map(stateOf))).toEqual(['suspended', 'suspended']);
  for (const which of [0, 1]) atGitHub(which).state = 'active';
  await rounds(worker.everyMs);
  expect(await Promise.all(ids.map(stateOf))).toEqual(['active', 'active']);
});

it('a removed installation is not queried', async () => {
  await countsAs('removed');
  await rounds(hour);
  expect(harness.asked).toEqual([]);
});

it('an active installation is queried once an hour', async () => {
  await countsAs('active');
  await rounds(3 * hour);
  expect(harness.asked).toHaveLength(3);
});

describe('of the active installations', () => {
  const many = Array.from({ length: 95 }, (_, index): Installation => {
    return { id: `${index}`, accountId: '7', state: 'active' };
  });

  it('a few are queried in each run, and all in round robin', () => {
    const asked = Array.from({ length: 10 }, (_, round) => activeRoundRobin(many, round * worker.everyMs));
    expect(Math.max(...asked.map(({ length }) => length))).toBe(10);
    expect(asked.flat().toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(many);
  });
});
