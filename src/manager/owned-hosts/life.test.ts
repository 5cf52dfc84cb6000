/** The manager with owned Macs: adoption, release, failed and cut-off wipes, and an invalid list. */
import { expect, it } from 'vitest';
import {
  machinesPath,
  mac,
  macId,
  notesPath,
  StaticProviderHarness,
  zone,
} from '../../../lab/harness/static-provider-harness.ts';

const minute = 60_000;

function requirements(harness: StaticProviderHarness): void {
  harness.ask('POST', machinesPath, {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name: 'ci-1' },
    spec: { zone, type: 'M2-L', os: 'Tahoe' },
  });
}

/** In small steps, because a step may schedule the next one. */
async function pass(harness: StaticProviderHarness, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) await harness.clock.pass(1000);
}

const secretPath = '/api/v1/namespaces/default/secrets/ci-1-bootstrap';

/** A machine claims the only Mac, and is deleted. */
async function released(harness: StaticProviderHarness) {
  const running = harness.manager();
  requirements(harness);
  await pass(harness, minute);
  expect(harness.ask('GET', `${machinesPath}/ci-1`)).toMatchObject({
    status: { serverID: macId(1), ready: true },
  });
  expect(harness.ask('GET', secretPath)).toMatchObject({
    data: { 'sudo-password': Buffer.from('correct horse').toString('base64') },
  });
  harness.ask('DELETE', `${machinesPath}/ci-1`);
  await pass(harness, minute);
  return running;
}

async function end(
  harness: StaticProviderHarness,
  { manager, provider }: ReturnType<StaticProviderHarness['manager']>,
) {
  await provider.close();
  const stopped = manager.stop();
  await pass(harness, 1000);
  await stopped;
  expect(harness.crashes).toEqual([]);
}

it('a Mac of the list is adopted, released, wiped by the command, and returned to the pool', async () => {
  const harness = new StaticProviderHarness([mac(1)]);
  const running = await released(harness);
  expect(() => harness.ask('GET', secretPath)).toThrow('not found');
  expect(harness.wipes).toHaveLength(1);
  expect(harness.wipes[0]).toMatchObject({
    marked: true,
    command: { command: '/opt/wipe', env: { MUSTER_HOST_ID: macId(1), MUSTER_HOST_ADDRESS: '192.0.2.1' } },
  });
  expect(harness.stateOf(1)).toBe('Reinstalling');
  harness.wiping.resolve();
  await pass(harness, 5 * minute);
  expect(harness.host(1)).toMatchObject({ spec: {}, status: { state: 'Pooled', installEpoch: 1 } });
  expect(harness.notes()).toEqual({ [`${macId(1)}.name`]: `pool-${macId(1)}` });
  await end(harness, running);
});

it('a wipe that ends at once counts, and is not repeated', async () => {
  const harness = new StaticProviderHarness([mac(1)]);
  harness.wiping.resolve();
  const running = await released(harness);
  await pass(harness, 10 * minute);
  expect([harness.stateOf(1), harness.wipes.length]).toEqual(['Pooled', 1]);
  await end(harness, running);
});

it('a cut-off wipe is reported, and repeated by the next leader', async () => {
  const harness = new StaticProviderHarness([mac(1)]);
  await end(harness, await released(harness));
  expect(harness.notes()).toHaveProperty([`${macId(1)}.wipe`]);
  harness.log.length = 0;
  const next = harness.manager();
  await pass(harness, minute);
  expect(harness.log).toContainEqual(expect.stringMatching(/^WipeFailed: the wipe of .* was cut off/));
  expect([harness.stateOf(1), harness.wipes.length]).toEqual(['Reinstalling', 2]);
  harness.wiping.resolve();
  await pass(harness, 10 * minute);
  expect(harness.stateOf(1)).toBe('Pooled');
  await end(harness, next);
});

it('a failed wipe leaves the host broken, until an operator removes the failure', async () => {
  const harness = new StaticProviderHarness([mac(1)]);
  const running = await released(harness);
  harness.wiping.reject(new Error('it ended with 3'));
  await pass(harness, 10 * minute);
  expect([harness.stateOf(1), harness.wipes.length]).toEqual(['Broken', 1]);
  expect(harness.log).toContainEqual(expect.stringMatching(/^WipeFailed: .*: it ended with 3$/));
  harness.wiping = Promise.withResolvers();
  harness.wiping.resolve();
  harness.ask('PATCH', notesPath, { data: { [`${macId(1)}.failure`]: null } });
  await pass(harness, 10 * minute);
  expect([harness.stateOf(1), harness.wipes.length]).toEqual(['Pooled', 2]);
  await end(harness, running);
});

it.for([
  ['empty', 'hosts: []', 'the list is empty'],
  ['wrong', `hosts: [${JSON.stringify({ ...mac(2), adress: 'x' })}]`, 'unknown field adress'],
] as const)(
  'a list that is %s makes no host gone, and the log explains the error',
  async ([, text, message]) => {
    const harness = new StaticProviderHarness();
    const running = harness.manager();
    requirements(harness);
    await pass(harness, minute);
    const before = [1, 2, 3].map((number) => harness.stateOf(number));
    harness.setList(text);
    await pass(harness, 30 * minute);
    expect([harness.hostCount(), [1, 2, 3].map((number) => harness.stateOf(number))]).toEqual([3, before]);
    expect(harness.log).toContainEqual(expect.stringContaining(message));
    await end(harness, running);
  },
);
