/** The manager with owned Macs: one is adopted, given back and wiped; wipes fail and are cut off; the list is spoilt. */
import { expect, it } from 'vitest';
import { machinesPath, mac, macId, notesPath, OfficeStand, zone } from '../../../test/office-stand.ts';

const minute = 60_000;

function wish(stand: OfficeStand): void {
  stand.ask('POST', machinesPath, {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name: 'ci-1' },
    spec: { zone, type: 'M2-L', os: 'Tahoe' },
  });
}

/** In small steps: what is to happen next may only come up on the way. */
async function pass(stand: OfficeStand, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) await stand.clock.pass(1000);
}

/** A machine has the only Mac there is, and is deleted. */
async function released(stand: OfficeStand) {
  const running = stand.manager();
  wish(stand);
  await pass(stand, minute);
  expect(stand.ask('GET', `${machinesPath}/ci-1`)).toMatchObject({
    status: { serverID: macId(1), ready: true },
  });
  stand.ask('DELETE', `${machinesPath}/ci-1`);
  await pass(stand, minute);
  return running;
}

async function end(stand: OfficeStand, { manager, provider }: ReturnType<OfficeStand['manager']>) {
  await provider.close();
  const stopped = manager.stop();
  await pass(stand, 1000);
  await stopped;
  expect(stand.crashes).toEqual([]);
}

it('a Mac of the list is adopted, given back, wiped by the command, and offered again', async () => {
  const stand = new OfficeStand([mac(1)]);
  const running = await released(stand);
  expect(stand.ask('GET', '/api/v1/namespaces/default/secrets/ci-1-bootstrap')).toMatchObject({
    data: { 'sudo-password': Buffer.from('correct horse').toString('base64') },
  });
  expect(stand.wipes).toHaveLength(1);
  expect(stand.wipes[0]).toMatchObject({
    marked: true,
    command: { command: '/opt/wipe', env: { MUSTER_HOST_ID: macId(1), MUSTER_HOST_ADDRESS: '192.0.2.1' } },
  });
  expect(stand.stateOf(1)).toBe('Reinstalling');
  stand.wiping.resolve();
  await pass(stand, 5 * minute);
  expect(stand.host(1)).toMatchObject({ spec: {}, status: { state: 'Pooled', installEpoch: 1 } });
  expect(stand.notes()).toEqual({ [`${macId(1)}.name`]: `pool-${macId(1)}` });
  await end(stand, running);
});

it('a wipe that is over at once counts as well, and is not made again', async () => {
  const stand = new OfficeStand([mac(1)]);
  stand.wiping.resolve();
  const running = await released(stand);
  await pass(stand, 10 * minute);
  expect([stand.stateOf(1), stand.wipes.length]).toEqual(['Pooled', 1]);
  await end(stand, running);
});

it('a wipe that is cut off is told, and made again by whoever leads next', async () => {
  const stand = new OfficeStand([mac(1)]);
  await end(stand, await released(stand));
  expect(stand.notes()).toHaveProperty([`${macId(1)}.wipe`]);
  stand.log.length = 0;
  const next = stand.manager();
  await pass(stand, minute);
  expect(stand.log).toContainEqual(expect.stringMatching(/^WipeFailed: the wipe of .* was cut off/));
  expect([stand.stateOf(1), stand.wipes.length]).toEqual(['Reinstalling', 2]);
  stand.wiping.resolve();
  await pass(stand, 10 * minute);
  expect(stand.stateOf(1)).toBe('Pooled');
  await end(stand, next);
});

it('a wipe that fails leaves the host broken, until a person takes the failure away', async () => {
  const stand = new OfficeStand([mac(1)]);
  const running = await released(stand);
  stand.wiping.reject(new Error('it ended with 3'));
  await pass(stand, 10 * minute);
  expect([stand.stateOf(1), stand.wipes.length]).toEqual(['Broken', 1]);
  expect(stand.log).toContainEqual(expect.stringMatching(/^WipeFailed: .*: it ended with 3$/));
  stand.wiping = Promise.withResolvers();
  stand.wiping.resolve();
  stand.ask('PATCH', notesPath, { data: { [`${macId(1)}.failure`]: null } });
  await pass(stand, 10 * minute);
  expect([stand.stateOf(1), stand.wipes.length]).toEqual(['Pooled', 2]);
  await end(stand, running);
});

it.for([
  ['empty', 'hosts: []', 'the list is empty'],
  ['wrong', `hosts: [${JSON.stringify({ ...mac(2), adress: 'x' })}]`, 'nobody knows the field adress'],
] as const)(
  'a list that is %s makes no host gone, and the log says what is wrong',
  async ([, text, message]) => {
    const stand = new OfficeStand();
    const running = stand.manager();
    wish(stand);
    await pass(stand, minute);
    const before = [1, 2, 3].map((number) => stand.stateOf(number));
    stand.setList(text);
    await pass(stand, 30 * minute);
    expect([stand.hostCount(), [1, 2, 3].map((number) => stand.stateOf(number))]).toEqual([3, before]);
    expect(stand.log).toContainEqual(expect.stringContaining(message));
    await end(stand, running);
  },
);
