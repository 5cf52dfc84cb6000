/** A repair is made only if it is still due by the stored objects, and leaves a record. */
import { describe, expect, it } from 'vitest';
import { FleetHarness, fieldsOf, idOf } from '../../../lab/harness/fleet-harness.ts';
import { onePerPage } from '../../../lab/harness/one-per-page.ts';
import { annotations } from '../../api/names/annotations.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Duplicate } from '../state/duplicates.ts';
import { macHosts, machines, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Duplicates } from './controller.ts';

const [home, spare] = [idOf('aaaa'), idOf('bbbb')];
const hold = { reason: 'look', since: '2026-01-01T00:00:00Z' };

class Fixture {
  readonly fleet = new FleetHarness().install();
  readonly client: KubeClient;
  counted: readonly Duplicate[] = [];
  readonly controller: Duplicates;
  #hosts: readonly MacHostObject[] = [];
  #machines: readonly MachineObject[] = [];

  constructor() {
    this.fleet.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
    const { clock, transport } = this.fleet;
    const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
    this.client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
    this.controller = new Duplicates({
      client: this.client,
      hosts: () => this.#hosts,
      machines: () => this.#machines,
      isPoolName: (name) => name.startsWith('pool-'),
      now: () => clock.now(),
      repairsMax: 5,
      counted: (confirmed) => void (this.counted = confirmed),
    });
  }

  /** Owned by machine `a`, which is bound to the host. */
  owned(): string {
    const uid = this.fleet.machine('a', {}, { status: { serverID: home, ready: true } });
    const claim = { namespace: 'ci', name: 'a', uid };
    this.fleet.host(home, { claim, used: true }, { state: 'Owned', observed: { name: 'a' } });
    return uid;
  }

  spareOf(uid: string, state: string, name = `pool-${spare}`): void {
    const claim = { namespace: 'ci', name: 'a', uid };
    this.fleet.host(spare, { claim, used: true }, { state, observed: { name } });
  }

  async sync(): Promise<void> {
    this.#hosts = (await this.client.listPage(macHosts, {})).items;
    this.#machines = (await this.client.listPage(machines, {})).items;
  }

  /** Two passes, some time apart; then `meanwhile`, and then the actions. */
  async pass(meanwhile: () => void = () => undefined) {
    await this.sync();
    await this.controller.observe();
    this.fleet.clock.jump(20_000);
    const observed = await this.controller.observe();
    const plan = this.controller.plan(observed);
    meanwhile();
    const results = [];
    for (const action of plan.actions) {
      try {
        results.push({ action, outcome: await this.controller.act(action) });
      } catch (error) {
        if (!isFleetError(error)) throw error;
        results.push({ action, outcome: error });
      }
    }
    const events = this.controller.events(observed, { plan, results });
    return { outcomes: results.map(({ outcome }) => outcome), events };
  }
}

async function shared(): Promise<Fixture> {
  const fixture = new Fixture();
  fixture.owned();
  const providerID = `scw-applesilicon://fr-par-1/${home}`;
  const metadata = { annotations: { [annotations.host.key]: home } };
  fixture.fleet.machine('b', { providerID }, { metadata, status: { serverID: home, ready: true } });
  await fixture.sync();
  return fixture;
}

describe('a machine that names the host of another', () => {
  it('is cleared of it, with a record and an Event, and the owner is not changed', async () => {
    const fixture = await shared();
    const before = await fixture.client.get(machines, { namespace: 'ci', name: 'a' });
    const { outcomes, events } = await fixture.pass();
    expect(outcomes).toEqual(['requested']);
    const { metadata, spec, status } = await fixture.client.get(machines, { namespace: 'ci', name: 'b' });
    expect(metadata.annotations).toEqual({
      [annotations.takenOff.key]: `${home} 2026-11-03T12:00:20.000Z`,
    });
    expect([spec?.providerID ?? 'none', status]).toMatchObject([
      'none',
      { serverID: '', ready: false, addresses: [] },
    ]);
    expect(await fixture.client.get(machines, { namespace: 'ci', name: 'a' })).toEqual(before);
    expect(events.map(({ reason, subject }) => `${reason} ${subject.kind}`)).toEqual([
      'SharedHost MacHost',
      'SharedHost ScalewayAppleSiliconMachine',
    ]);
  });

  it.for([
    [
      'is paused',
      (fleet) => fleet.patchMachine('b', { metadata: { annotations: { [annotations.paused.key]: '' } } }),
    ],
    ['names another host', (fleet) => fleet.patchMachine('b', { status: { serverID: spare } }, 'status')],
    ['is deleting', (fleet) => fleet.deleteMachine('b')],
  ] as const satisfies readonly (readonly [string, (fleet: FleetHarness) => unknown])[])(
    'is left alone when meanwhile it %s',
    async ([, change]) => {
      const fixture = await shared();
      expect((await fixture.pass(() => change(fixture.fleet))).outcomes).toEqual(['precondition-lost']);
    },
  );

  it.for([
    ['has lost its owner', (fleet) => fleet.deleteMachine('a')],
    ['is held by an operator', (fleet) => fleet.patchHost(home, { spec: { hold } })],
    ['has lost its claim', (fleet) => fleet.patchHost(home, { spec: { claim: null } })],
    [
      'has an owner that is not bound to it',
      (fleet) => fleet.patchMachine('a', { status: { serverID: spare } }, 'status'),
    ],
  ] as const satisfies readonly (readonly [string, (fleet: FleetHarness) => unknown])[])(
    'is left alone when meanwhile the host %s',
    async ([, change]) => {
      const fixture = await shared();
      expect((await fixture.pass(() => change(fixture.fleet))).outcomes).toEqual(['precondition-lost']);
    },
  );

  it('is left alone when meanwhile it was created again under the same name', async () => {
    const fixture = await shared();
    const { outcomes } = await fixture.pass(() => {
      fixture.fleet.patchMachine('b', { metadata: { finalizers: null } });
      fixture.fleet.deleteMachine('b');
      fixture.fleet.machine('b', {}, { status: { serverID: home } });
    });
    expect(outcomes).toEqual(['precondition-lost']);
  });

  it.for(['/b', '/b/status'])('is not overwritten by a concurrent write just before %s', async (end) => {
    const fixture = await shared();
    const { transport } = fixture.fleet;
    await fixture.pass(() => {
      transport.trouble = ({ method, path }) => {
        if (method !== 'PATCH' || !path.endsWith(end)) return undefined;
        transport.trouble = () => undefined;
        fixture.fleet.patchMachine('b', { metadata: { labels: { by: 'another' } } });
        return undefined;
      };
    });
    const { status } = await fixture.client.get(machines, { namespace: 'ci', name: 'b' });
    expect(status?.serverID).toBe(home);
  });
});

describe('a second host with the claim of a machine', () => {
  it.for([
    ['free at once when it was never seen as owned', 'Adopting', undefined, {}],
    ['kept as used when it may have been', 'Stranded', undefined, { used: true }],
    ['kept as used under any other name', 'Adopting', 'a', { used: true }],
  ] as const)('loses its claim, and is %s', async ([, state, name, spec]) => {
    const fixture = new Fixture();
    fixture.spareOf(fixture.owned(), state, name);
    expect((await fixture.pass()).outcomes).toEqual(['requested']);
    expect([fixture.fleet.specOf(spare), fieldsOf(fixture.fleet.specOf(home)['claim'])['name']]).toEqual([
      spec,
      'a',
    ]);
  });

  it.for([
    [
      'a machine names it',
      (fleet) => fleet.machine('late', {}, { metadata: { annotations: { [annotations.host.key]: spare } } }),
    ],
    ['held by an operator', (fleet) => fleet.patchHost(spare, { spec: { hold } })],
    ['its claim is gone', (fleet) => fleet.patchHost(spare, { spec: { claim: null } })],
    [
      'its machine lost the claim on the first host',
      (fleet) => fleet.patchHost(home, { spec: { claim: null } }),
    ],
    [
      'its machine is bound to it',
      (fleet) => fleet.patchMachine('a', { status: { serverID: spare } }, 'status'),
    ],
    ['its machine is deleting', (fleet) => fleet.deleteMachine('a')],
  ] as const satisfies readonly (readonly [string, (fleet: FleetHarness) => unknown])[])(
    'is left alone when meanwhile %s',
    async ([, change]) => {
      const fixture = new Fixture();
      fixture.spareOf(fixture.owned(), 'Adopting');
      expect((await fixture.pass(() => void change(fixture.fleet))).outcomes).toEqual(['precondition-lost']);
    },
  );

  it('is left alone when a machine on a later page of the list names it', async () => {
    const fixture = new Fixture();
    fixture.spareOf(fixture.owned(), 'Adopting');
    const { outcomes } = await fixture.pass(() => {
      onePerPage(fixture.client);
      fixture.fleet.machine('late', {}, { metadata: { annotations: { [annotations.host.key]: spare } } });
    });
    expect(outcomes).toEqual(['precondition-lost']);
  });

  it('is not overwritten by a concurrent write', async () => {
    const fixture = new Fixture();
    fixture.spareOf(fixture.owned(), 'Adopting');
    const { transport } = fixture.fleet;
    await fixture.pass(() => {
      transport.trouble = ({ method }) => {
        if (method === 'PATCH') fixture.fleet.patchHost(spare, { spec: { hold } });
        return undefined;
      };
    });
    expect(fixture.fleet.specOf(spare)).toMatchObject({ claim: { name: 'a' }, hold });
  });
});

it('a lasting duplicate is counted, and reported once; one that was gone for a pass starts anew', async () => {
  const fixture = await shared();
  const { clock } = fixture.fleet;
  await fixture.controller.observe();
  clock.jump(20_000);
  fixture.fleet.patchMachine('b', { status: { serverID: '' } }, 'status');
  await fixture.sync();
  await fixture.controller.observe();
  fixture.fleet.patchMachine('b', { status: { serverID: home } }, 'status');
  await fixture.sync();
  await fixture.controller.observe();
  expect(fixture.counted).toEqual([]);
  clock.jump(20_000);
  const observed = await fixture.controller.observe();
  expect(fixture.counted.map(({ kind }) => kind)).toEqual(['SharedHost']);
  const report = { plan: fixture.controller.plan(observed), results: [] };
  expect(fixture.controller.events(observed, report)).toHaveLength(1);
  expect(fixture.controller.events(observed, report)).toHaveLength(0);
});
