/** A repair is made only of what is still so, from what is stored, and leaves a record. */
import { describe, expect, it } from 'vitest';
import { FleetStand, fieldsOf, idOf } from '../../../test/fleet-stand.ts';
import { onePerPage } from '../../../test/one-per-page.ts';
import { annotations } from '../../api/annotations.ts';
import { isFleetError } from '../../errors/fleet-error.ts';
import type { Duplicate } from '../../fleet/duplicates.ts';
import { macHosts, machines, type MacHostObject, type MachineObject } from '../../fleet/objects.ts';
import { KubeClient } from '../../runtime/kube/client.ts';
import { RateLimit } from '../../runtime/rate-limit.ts';
import { Duplicates } from './duplicates.ts';

const [home, spare] = [idOf('aaaa'), idOf('bbbb')];
const hold = { reason: 'look', since: '2026-01-01T00:00:00Z' };

class Stage {
  readonly fleet = new FleetStand().install();
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

  /** Owned by machine `a`, which was served by it. */
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

  /** Two looks, some time apart; then what happens `meanwhile`, and the acts. */
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
    const happenings = this.controller.happenings(observed, { plan, results });
    return { outcomes: results.map(({ outcome }) => outcome), happenings };
  }
}

async function shared(): Promise<Stage> {
  const stage = new Stage();
  stage.owned();
  const providerID = `scw-applesilicon://fr-par-1/${home}`;
  const metadata = { annotations: { [annotations.host.key]: home } };
  stage.fleet.machine('b', { providerID }, { metadata, status: { serverID: home, ready: true } });
  await stage.sync();
  return stage;
}

describe('a machine that names the host of another', () => {
  it('is cleared of it, with a record and an Event, and the other is not touched', async () => {
    const stage = await shared();
    const before = await stage.client.get(machines, { namespace: 'ci', name: 'a' });
    const { outcomes, happenings } = await stage.pass();
    expect(outcomes).toEqual(['asked']);
    const { metadata, spec, status } = await stage.client.get(machines, { namespace: 'ci', name: 'b' });
    expect(metadata.annotations).toEqual({
      [annotations.takenOff.key]: `${home} 2026-11-03T12:00:20.000Z`,
    });
    expect([spec?.providerID ?? 'none', status]).toMatchObject([
      'none',
      { serverID: '', ready: false, addresses: [] },
    ]);
    expect(await stage.client.get(machines, { namespace: 'ci', name: 'a' })).toEqual(before);
    expect(happenings.map(({ reason, subject }) => `${reason} ${subject.kind}`)).toEqual([
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
    ['is leaving', (fleet) => fleet.deleteMachine('b')],
  ] as const satisfies readonly (readonly [string, (fleet: FleetStand) => unknown])[])(
    'is left alone when by now it %s',
    async ([, change]) => {
      const stage = await shared();
      expect((await stage.pass(() => change(stage.fleet))).outcomes).toEqual(['overtaken']);
    },
  );

  it.for([
    ['has lost its owner', (fleet) => fleet.deleteMachine('a')],
    ['is kept aside', (fleet) => fleet.patchHost(home, { spec: { hold } })],
    ['is held by nobody', (fleet) => fleet.patchHost(home, { spec: { claim: null } })],
    [
      'has an owner that was not served by it',
      (fleet) => fleet.patchMachine('a', { status: { serverID: spare } }, 'status'),
    ],
  ] as const satisfies readonly (readonly [string, (fleet: FleetStand) => unknown])[])(
    'is left alone when by now the host %s',
    async ([, change]) => {
      const stage = await shared();
      expect((await stage.pass(() => change(stage.fleet))).outcomes).toEqual(['overtaken']);
    },
  );

  it('is left alone when by now it is another one of the same name', async () => {
    const stage = await shared();
    const { outcomes } = await stage.pass(() => {
      stage.fleet.patchMachine('b', { metadata: { finalizers: null } });
      stage.fleet.deleteMachine('b');
      stage.fleet.machine('b', {}, { status: { serverID: home } });
    });
    expect(outcomes).toEqual(['overtaken']);
  });

  it.for(['/b', '/b/status'])('is not written over when somebody writes it just before %s', async (end) => {
    const stage = await shared();
    const { transport } = stage.fleet;
    await stage.pass(() => {
      transport.trouble = ({ method, path }) => {
        if (method !== 'PATCH' || !path.endsWith(end)) return undefined;
        transport.trouble = () => undefined;
        stage.fleet.patchMachine('b', { metadata: { labels: { by: 'somebody' } } });
        return undefined;
      };
    });
    const { status } = await stage.client.get(machines, { namespace: 'ci', name: 'b' });
    expect(status?.serverID).toBe(home);
  });
});

describe('a second host with the claim of a machine', () => {
  it.for([
    ['free at once when it was never seen as anybody’s', 'Adopting', undefined, {}],
    ['kept as used when it may have been', 'Stranded', undefined, { used: true }],
    ['kept as used under any other name', 'Adopting', 'a', { used: true }],
  ] as const)('is let go, and is %s', async ([, state, name, spec]) => {
    const stage = new Stage();
    stage.spareOf(stage.owned(), state, name);
    expect((await stage.pass()).outcomes).toEqual(['asked']);
    expect([stage.fleet.specOf(spare), fieldsOf(stage.fleet.specOf(home)['claim'])['name']]).toEqual([
      spec,
      'a',
    ]);
  });

  it.for([
    [
      'a machine means it',
      (fleet) => fleet.machine('late', {}, { metadata: { annotations: { [annotations.host.key]: spare } } }),
    ],
    ['a person keeps it aside', (fleet) => fleet.patchHost(spare, { spec: { hold } })],
    ['nobody holds it', (fleet) => fleet.patchHost(spare, { spec: { claim: null } })],
    ['its machine lost the other one', (fleet) => fleet.patchHost(home, { spec: { claim: null } })],
    ['its machine is on it', (fleet) => fleet.patchMachine('a', { status: { serverID: spare } }, 'status')],
    ['its machine is leaving', (fleet) => fleet.deleteMachine('a')],
  ] as const satisfies readonly (readonly [string, (fleet: FleetStand) => unknown])[])(
    'is left alone when by now %s',
    async ([, change]) => {
      const stage = new Stage();
      stage.spareOf(stage.owned(), 'Adopting');
      expect((await stage.pass(() => void change(stage.fleet))).outcomes).toEqual(['overtaken']);
    },
  );

  it('is left alone when the machine that means it by now stands on a later page', async () => {
    const stage = new Stage();
    stage.spareOf(stage.owned(), 'Adopting');
    const { outcomes } = await stage.pass(() => {
      onePerPage(stage.client);
      stage.fleet.machine('late', {}, { metadata: { annotations: { [annotations.host.key]: spare } } });
    });
    expect(outcomes).toEqual(['overtaken']);
  });

  it('is not written over when somebody writes it in the same moment', async () => {
    const stage = new Stage();
    stage.spareOf(stage.owned(), 'Adopting');
    const { transport } = stage.fleet;
    await stage.pass(() => {
      transport.trouble = ({ method }) => {
        if (method === 'PATCH') stage.fleet.patchHost(spare, { spec: { hold } });
        return undefined;
      };
    });
    expect(stage.fleet.specOf(spare)).toMatchObject({ claim: { name: 'a' }, hold });
  });
});

it('what stays is counted, and told once; what was gone for one look begins anew', async () => {
  const stage = await shared();
  const { clock } = stage.fleet;
  await stage.controller.observe();
  clock.jump(20_000);
  stage.fleet.patchMachine('b', { status: { serverID: '' } }, 'status');
  await stage.sync();
  await stage.controller.observe();
  stage.fleet.patchMachine('b', { status: { serverID: home } }, 'status');
  await stage.sync();
  await stage.controller.observe();
  expect(stage.counted).toEqual([]);
  clock.jump(20_000);
  const observed = await stage.controller.observe();
  expect(stage.counted.map(({ kind }) => kind)).toEqual(['SharedHost']);
  const report = { plan: stage.controller.plan(observed), results: [] };
  expect(stage.controller.happenings(observed, report)).toHaveLength(1);
  expect(stage.controller.happenings(observed, report)).toHaveLength(0);
});
