import { beforeEach, expect, it } from 'vitest';
import { minute, RecoveryStand } from '../../../test/recovery-stand.ts';
import { InstallationsLook } from './installations-look.ts';

let stand: RecoveryStand;
let worker: InstallationsLook;

beforeEach(async () => {
  stand = new RecoveryStand();
  worker = new InstallationsLook(stand.ports);
  await stand.clock.pass(minute);
});

/** As our rows have it, whatever GitHub says. */
async function countsAs(state: 'active' | 'suspended'): Promise<string> {
  const [installation] = stand.site.directory.installations;
  if (installation === undefined) throw new Error('the stand has no installation');
  const { id, account } = installation;
  const row = { id, accountId: account.id, state };
  await stand.store.apply({
    kind: 'install',
    account: { id: account.id, login: account.login },
    installation: row,
  });
  return id;
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await stand.store.installation(id))?.state;
}

it('an installation that nobody told us works again is found to', async () => {
  const id = await countsAs('suspended');
  await stand.turn(worker, minute);
  expect(await stateOf(id)).toBe('active');
  expect(await stand.store.acts({ limit: 5 })).toMatchObject([
    { kind: 'installation_found', evidence: { installation: id, was: 'suspended', github: 'active' } },
  ]);
});

it('one that is suspended stays so, and nothing is written down', async () => {
  const id = await countsAs('suspended');
  const [installation] = stand.site.directory.installations;
  if (installation !== undefined) installation.state = 'suspended';
  await stand.turn(worker, minute);
  expect([await stateOf(id), await stand.store.acts({ limit: 5 })]).toEqual(['suspended', []]);
});

it('one that was removed meanwhile is known to be', async () => {
  const id = await countsAs('suspended');
  const [installation] = stand.site.directory.installations;
  if (installation !== undefined) installation.state = 'removed';
  await stand.turn(worker, minute);
  expect(await stateOf(id)).toBe('removed');
});
