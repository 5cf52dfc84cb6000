/** Which machines keep a host, what an operator may do about the host, and what an operator's order overrules. */
import { beforeEach, describe, expect, it } from 'vitest';
import { FleetHarness, fieldsOf, idOf } from '../../../lab/harness/fleet-harness.ts';

const host = idOf('aaaa');
const noWait = ['--yes', '--timeout', '0s'] as const;
const toPool = ['--pool-prefix', 'tuist-pool-'] as const;
const forced = ['--force', '--reason', 'ticket 7'] as const;
const apiVersion = 'infrastructure.cluster.x-k8s.io/v1alpha1';
const providerID = `scw-applesilicon://fr-par-1/${host}`;
const pause = { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } };
const meansHost = { metadata: { annotations: { 'muster.dev/host': host } } };

let harness = new FleetHarness();
beforeEach(() => {
  harness = new FleetHarness().install();
  harness.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
});

function machineElsewhere(name: string): string {
  harness.post('/api/v1/namespaces', { metadata: { name: 'other' } });
  const made = harness.post(`/apis/${apiVersion}/namespaces/other/scalewayapplesiliconmachines`, {
    apiVersion,
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name, namespace: 'other' },
    spec: {},
  });
  return String(fieldsOf(made['metadata'])['uid']);
}

/** The facts under one label, or all of them, each in one line. */
async function factsOf(label: string, of = 'host/aaaa0000'): Promise<readonly string[]> {
  const { out } = await harness.muster('why', of);
  const facts = out.split(/\n {2}(?=\S)/).map((fact) => fact.replaceAll(/\s+/g, ' ').trim());
  return facts.filter((fact) => fact.startsWith(`${label} `)).map((fact) => fact.slice(label.length + 1));
}

const releaseOf = (): Record<string, unknown> => ({ ...fieldsOf(harness.specOf(host)['release']) });
const release = (...more: readonly string[]) =>
  harness.muster('release', host, ...toPool, ...more, ...noWait);
const observed = (name: string) => ({ observed: { name } });

/** A paused machine with a cleared status.serverID, and the hold that the manager wrote. */
function clearedMachine(): string {
  const uid = harness.machine('mac-a', { adoptPoolPrefix: 'tuist-pool-' }, pause);
  const claim = { namespace: 'ci', name: 'mac-a', uid };
  const hold = { reason: 'status.serverID was cleared', since: '2026-11-03T11:00:00Z', machineUid: uid };
  harness.host(
    host,
    { claim, lastOwner: claim, used: true, hold },
    { state: 'Quarantined', servedUid: uid, ...observed('mac-a') },
  );
  return uid;
}

/** A machine in each way in which one machine alone can speak for a host that is called `server`. */
const ways = [
  {
    by: 'serverID',
    says: 'names it in status.serverID',
    make: () => harness.machine('mac-a', {}, { status: { serverID: host } }),
  },
  { by: 'name', says: 'is called like the server', make: () => harness.machine('server') },
  {
    by: 'providerID',
    says: 'names it in spec.providerID',
    make: () => harness.machine('mac-a', { providerID }),
  },
  {
    by: 'annotation',
    says: 'names it in the annotation muster.dev/host',
    make: () => harness.machine('mac-a', {}, meansHost),
  },
] as const;

describe('muster why host', () => {
  it.for(ways)('says which machine keeps the host by $by', async ({ says, make }) => {
    make();
    harness.host(host, { used: true }, observed('server'));
    const name = says === 'is called like the server' ? 'server' : 'mac-a';
    expect(await factsOf('kept by')).toEqual([`machine ci/${name}, which is alive: ${says}`]);
  });

  it('says how the claimant speaks for the host, and whether it is paused or being deleted', async () => {
    const uid = harness.machine('mac-a', { providerID }, { ...pause, status: { serverID: host } });
    harness.host(host, { claim: { namespace: 'ci', name: 'mac-a', uid }, used: true }, observed('mac-a'));
    const speaks =
      'holds its claim and is called like the server and names it in status.serverID and names it in spec.providerID';
    expect(await factsOf('kept by')).toEqual([`machine ci/mac-a, which is paused: ${speaks}`]);
    expect(await factsOf('claim')).toEqual([`ci/mac-a (uid ${uid}), which is paused`]);
    harness.deleteMachine('mac-a');
    expect(await factsOf('kept by')).toEqual([
      `machine ci/mac-a, which is being deleted since 0s: ${speaks}`,
    ]);
  });

  it('says which namesake does not keep the host', async () => {
    const lastOwner = { namespace: 'ci', name: 'mac-a', uid: 'gone' };
    harness.host(host, { lastOwner, used: true }, observed('mac-a'));
    machineElsewhere('mac-a');
    expect(await factsOf('kept by')).toEqual([]);
    expect(await factsOf('not kept by')).toEqual([
      'machine other/mac-a is called like the server, and the host belongs to another namespace',
    ]);
    expect(await factsOf('claim')).toEqual(['none; ci/mac-a was the last to claim it']);
  });

  it('says why a host is on hold, and which command lifts the hold', async () => {
    harness.host(host, { hold: { reason: 'slow disk', since: '2026-11-03T11:00:00Z' } }, observed('odd'));
    expect(await factsOf('on hold')).toEqual(['since 1h: slow disk']);
    expect(await factsOf('lift hold')).toEqual([`muster unquarantine ${host}`]);
    expect(await factsOf('changes when')).toEqual([
      `an operator lifts the hold: muster unquarantine ${host}`,
    ]);
  });

  it('says for a host of a cleared machine which step must come first', async () => {
    clearedMachine();
    expect(await factsOf('lift hold')).toEqual([
      `unpause machine ci/mac-a, which then takes the host back, or delete the machine, and then: muster unquarantine ${host}`,
    ]);
  });

  it('says what an order overrules', async () => {
    const uid = harness.machine('mac-a', { providerID });
    const overrules = [
      { uid, by: ['providerID'] },
      { uid: 'gone', by: ['name'] },
    ];
    const order = {
      policy: 'pool',
      poolPrefix: 'p-x-',
      orderedBy: 'person',
      orderedAt: '2026-11-03T11:00:00Z',
    };
    harness.host(host, { used: true, release: { ...order, overrules } }, observed('tuist-pool-1'));
    expect(await factsOf('overruled')).toEqual([
      'machine ci/mac-a as far as it speaks for the host by providerID',
      'machine with uid gone, which does not exist, as far as it speaks for the host by name',
    ]);
  });
});

describe('muster why host, under a pending name', () => {
  const pendingName = 'tuist-claim-pending-1';
  const pending = (pendingSince: string, more: object = {}) => ({
    ...observed(pendingName),
    pendingName,
    pendingSince,
    ...more,
  });

  it.for([
    [
      {},
      '2026-11-03T11:56:00Z',
      {},
      'to the default pool tuist-pool-… in 6m (at 2026-11-03T12:06:00Z), once two inventories have shown it unchanged',
    ],
    [
      {},
      '2026-11-03T11:56:00Z',
      { poolPrefix: 'builders-' },
      'to the pool builders-… in 6m (at 2026-11-03T12:06:00Z), once two inventories have shown it unchanged',
    ],
    [
      {},
      '2026-11-03T11:50:00Z',
      {},
      'a machine of the default pool tuist-pool-… may take it now, once two inventories have shown it unchanged; to have it wiped first: muster release aaaa0000',
    ],
    [
      { used: true },
      '2026-11-03T11:56:00Z',
      {},
      'only after a wipe, since its disk was used: muster release aaaa0000',
    ],
  ] as const)('with %j since %s and %j: when the pool gets it back', async ([spec, since, more, text]) => {
    harness.host(host, spec, pending(since, more));
    expect(await factsOf('given back')).toEqual([text]);
    expect(await factsOf('pending')).toEqual([
      expect.stringMatching(
        /^for \d+m: the name tuist-claim-pending-1 belongs to a running or an interrupted adoption/,
      ),
    ]);
  });

  it('a name that the manager has not recorded yet has no age', async () => {
    harness.host(host, {}, pending('2026-11-03T11:00:00Z', observed('tuist-claim-pending-2')));
    expect(await factsOf('pending')).toEqual([
      expect.stringContaining('the manager has not recorded since when'),
    ]);
    expect(await factsOf('given back')).toEqual([
      'to the default pool tuist-pool-… ten minutes after that, once two inventories have shown it unchanged',
    ]);
  });

  it('a claimed host does not return to a pool', async () => {
    const uid = harness.machine('mac-a', {}, meansHost);
    harness.host(host, { claim: { namespace: 'ci', name: 'mac-a', uid } }, pending('2026-11-03T11:00:00Z'));
    expect(await factsOf('given back')).toEqual([]);
  });

  it('is a doubt for an order while it is young, and none once it is stranded', async () => {
    harness.host(host, {}, pending('2026-11-03T11:30:00Z'));
    const { err } = await release();
    expect(err).toBe(
      'error: an adoption may be under way: the server is called tuist-claim-pending-1; to overrule: --force --reason TEXT\n',
    );
    harness.patchHost(host, { status: { pendingSince: '2026-11-03T11:00:00Z' } }, 'status');
    expect([(await release()).status, releaseOf()]).toMatchObject([0, { serverName: pendingName }]);
    expect(await factsOf('next')).toEqual(['the manager will request a wipe']);
  });
});

describe('a host whose server a person named', () => {
  const wipe = { order: '2026-11-03T11:30:00Z', askedAt: '2026-11-03T11:58:00Z' };

  it('muster why says what does not happen, and how to keep or release the host', async () => {
    const lastOwner = { namespace: 'ci', name: 'mac-a', uid: 'gone' };
    harness.host(host, { lastOwner, used: true, personName: 'mine' }, { ...observed('mine'), wipe });
    expect([
      ...(await factsOf('left undone')),
      ...(await factsOf('to keep it')),
      ...(await factsOf('to give back')),
    ]).toEqual([
      'a person named the server mine: the host is not wiped, renamed or released; the claim of ci/mac-a does not count any more; a wipe that has started already is tracked to its end',
      'muster quarantine aaaa0000 --reason TEXT, which also removes the host from the gauge of stranded hosts',
      'muster release aaaa0000 --force --reason TEXT, which wipes the host and offers it again',
    ]);
  });

  it('muster why names the order that is void with the claim', async () => {
    const claim = { namespace: 'ci', name: 'mac-a', uid: 'gone' };
    const order = {
      policy: 'pool',
      poolPrefix: 'p-x-',
      orderedBy: 'sweep',
      orderedAt: '2026-11-03T11:00:00Z',
    };
    harness.host(host, { claim, used: true, release: { ...order, serverName: 'mac-a' } }, observed('mine'));
    expect(await factsOf('left undone')).toEqual([
      'a person named the server mine: the host is not wiped, renamed or released; the claim of ci/mac-a and the order pool by sweep do not count any more',
    ]);
  });

  it('is released only with --force, and the order has the new name', async () => {
    harness.host(host, { used: true, personName: 'mine' }, observed('mine'));
    expect((await release()).err).toContain('a person named the server mine; to overrule');
    expect((await release(...forced)).status).toBe(0);
    expect(await factsOf('next')).toEqual(['the manager will request a wipe']);
  });

  it('a host without an earlier owner loses no order', async () => {
    harness.host(host, {}, observed('as-delivered'));
    expect([await factsOf('left undone'), await factsOf('to give back')]).toEqual([[], []]);
  });
});

describe('muster release', () => {
  it.for(ways.filter(({ by }) => by !== 'serverID'))(
    'a machine that speaks by $by is a doubt, and the forced order overrules that doubt alone',
    async ({ by, says, make }) => {
      const uid = make();
      harness.host(host, { used: true }, observed('server'));
      const { status, err } = await release();
      expect([status, err, releaseOf()]).toEqual([1, expect.stringContaining(`${says}; to overrule`), {}]);
      expect((await release(...forced)).status).toBe(0);
      expect(releaseOf()['overrules']).toEqual([{ uid, by: [by] }]);
    },
  );

  it('lists every doubt, and records each', async () => {
    const [one, two] = [harness.machine('mac-a', { providerID }), harness.machine('mac-b', {}, meansHost)];
    harness.host(host, { used: true }, observed('tuist-pool-1'));
    const { err } = await release();
    expect(err).toContain(
      'machine ci/mac-a names it in spec.providerID; machine ci/mac-b names it in the annotation muster.dev/host; to overrule',
    );
    await release(...forced);
    expect(new Set(Object.values(releaseOf()['overrules'] ?? {}))).toEqual(
      new Set([
        { uid: one, by: ['providerID'] },
        { uid: two, by: ['annotation'] },
      ]),
    );
  });

  it('a machine of another namespace that is called like the server is overruled too', async () => {
    const lastOwner = { namespace: 'ci', name: 'mac-a', uid: 'gone' };
    harness.host(host, { lastOwner, used: true }, observed('mac-a'));
    const uid = machineElsewhere('mac-a');
    expect((await release()).err).toContain('machine other/mac-a is called like the server');
    await release(...forced);
    expect(releaseOf()['overrules']).toEqual([{ uid, by: ['name'] }]);
  });

  it('without a doubt nothing is overruled, also with --force', async () => {
    harness.host(host, { used: true }, observed('tuist-pool-1'));
    expect([(await release(...forced)).status, 'overrules' in releaseOf()]).toEqual([0, false]);
  });

  it('an order that a machine speaks against is replaced by one that overrules the machine', async () => {
    const order = {
      policy: 'pool',
      poolPrefix: 'p-x-',
      orderedBy: 'sweep',
      orderedAt: '2026-11-03T11:00:00Z',
    };
    const uid = harness.machine('mac-a', { providerID });
    harness.host(host, { used: true, release: order }, observed('tuist-pool-1'));
    const { out } = await release(...forced);
    expect(out).toContain('This replaces the order pool, by sweep.');
    expect(releaseOf()).toMatchObject({
      overrules: [{ uid, by: ['providerID'] }],
      poolPrefix: 'tuist-pool-',
    });
  });

  it('is refused for a host on hold, with the command that lifts the hold', async () => {
    harness.host(host, { hold: { reason: 'slow disk', since: '2026-11-03T11:00:00Z' } }, observed('odd'));
    const { status, err } = await release(...forced);
    expect([status, err, releaseOf()]).toEqual([
      1,
      `error: the host is on hold: slow disk; lift the hold first: muster unquarantine ${host}\n`,
      {},
    ]);
  });

  it('says for a host of a cleared machine which step must come first', async () => {
    clearedMachine();
    expect((await release(...forced)).err).toContain(
      'lift the hold first: unpause machine ci/mac-a, which then takes',
    );
  });
});

describe('muster unquarantine', () => {
  it('is refused for a host of a cleared machine: the manager would put the host on hold again', async () => {
    clearedMachine();
    const { status, err } = await harness.muster('unquarantine', host, ...noWait);
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('so the manager would put the host on hold again'),
    ]);
    expect(harness.specOf(host)['hold']).toBeDefined();
  });

  it('is refused also with another hold, as after an interrupted detach', async () => {
    const uid = clearedMachine();
    const hold = { reason: `detached from ci/mac-a (uid ${uid})`, machineUid: null };
    harness.patchHost(host, { spec: { hold }, status: {} });
    harness.patchHost(host, { status: { servedUid: uid } }, 'status');
    expect((await harness.muster('unquarantine', host, ...noWait)).status).toBe(1);
  });

  it('works once the machine is deleted, and says that the host is then stranded', async () => {
    clearedMachine();
    harness.patchMachine('mac-a', { metadata: { finalizers: [] } });
    harness.deleteMachine('mac-a');
    harness.patchHost(host, { spec: { claim: null } });
    const { status, out } = await harness.muster('unquarantine', host, ...noWait);
    expect([status, out]).toEqual([0, expect.stringContaining('Then the host is Stranded')]);
    expect(harness.specOf(host)['hold']).toBeUndefined();
  });

  it('says which machine keeps the host afterwards', async () => {
    harness.machine('mac-a', { providerID });
    const hold = { reason: 'slow disk', since: '2026-11-03T11:00:00Z' };
    harness.host(host, { hold, used: true }, observed('odd'));
    expect((await harness.muster('unquarantine', host, ...noWait)).out).toContain(
      'The manager will do nothing to the host: machine ci/mac-a names it in spec.providerID.',
    );
  });

  it.for([
    [{}, 'A machine may take the host once it stays unchanged for ten minutes and two inventories.'],
    [{ used: true }, 'A manager with --orphan-reclaim-claim-name-prefix may then wipe the host'],
  ] as const)('of a host with a pending name and %j says what comes next', async ([spec, text]) => {
    const hold = { reason: 'slow disk', since: '2026-11-03T11:00:00Z' };
    harness.host(host, { ...spec, hold }, observed('tuist-claim-pending-1'));
    expect((await harness.muster('unquarantine', host, ...noWait)).out).toContain(text);
  });
});

describe('muster detach --host release', () => {
  const detach = () => harness.muster('detach', 'ci/mac-a', '--host', 'release', ...noWait, ...toPool);

  it('is refused while another machine speaks for the host: the order would be dropped', async () => {
    const uid = harness.machine('mac-a', {}, { status: { serverID: host } });
    harness.machine('mac-b', { providerID });
    harness.host(host, { claim: { namespace: 'ci', name: 'mac-a', uid }, used: true }, observed('mac-a'));
    const { status, err } = await detach();
    expect([status, err, harness.machineNames()]).toEqual([
      1,
      expect.stringContaining('machine ci/mac-b names it in spec.providerID, so the host is not wiped'),
      ['mac-a', 'mac-b'],
    ]);
  });

  it('leaves the host on hold when another machine appears meanwhile', async () => {
    const uid = harness.machine('mac-a', {}, { status: { serverID: host } });
    harness.host(host, { claim: { namespace: 'ci', name: 'mac-a', uid }, used: true }, observed('mac-a'));
    harness.transport.trouble = ({ method }) => {
      if (method === 'PATCH' && harness.machineNames().length === 1) harness.machine('mac-b', { providerID });
      return undefined;
    };
    expect((await detach()).err).toContain('so the host is not wiped');
    expect([releaseOf(), harness.specOf(host)['hold']]).toEqual([
      {},
      expect.objectContaining({ reason: expect.stringContaining('detached from ci/mac-a ') }),
    ]);
  });
});

describe('muster why machine', () => {
  const lastOwner = { namespace: 'ci', name: 'mac-a', uid: 'gone' };

  it('that waits for its name says which server has the name, and why the machine may not take that server', async () => {
    harness.machine('mac-a');
    harness.host(idOf('bbbb'), {}, { state: 'Pooled', ...observed('tuist-pool-1') });
    const order = { policy: 'pool', poolPrefix: 'tuist-pool-', orderedBy: 'machine', machineUid: 'gone' };
    harness.host(
      host,
      { lastOwner, used: true, release: { ...order, orderedAt: '2026-11-03T11:00:00Z' } },
      observed('mac-a'),
    );
    expect(await factsOf('waits for', 'machine/ci/mac-a')).toEqual([
      `its name: server ${host} has the name of the machine: being released`,
    ]);
  });

  it('that finds its own server takes it without a wipe', async () => {
    harness.machine('mac-a');
    harness.host(host, { lastOwner, used: true }, observed('mac-a'));
    expect(await factsOf('waits for', 'machine/ci/mac-a')).toEqual([
      'host aaaa0000, whose server has its name: the machine takes the host without a wipe',
    ]);
  });
});
