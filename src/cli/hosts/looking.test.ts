/** The read-only commands, on a small fleet with an object of each kind. */
import { beforeEach, describe, expect, it } from 'vitest';
import { FleetHarness, fieldsOf, idOf } from '../../../lab/harness/fleet-harness.ts';

const [pool, owned, lost, held, ending] = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee'].map(idOf);

/** Hosts: free, owned, stranded, on hold, and with an ending rent. One machine waits. */
function smallFleet(): FleetHarness {
  const harness = new FleetHarness().install();
  harness.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
  const uid = harness.machine(
    'runners-1',
    { adoptPoolPrefix: 'tuist-pool-', providerID: `scw-applesilicon://fr-par-1/${owned}` },
    {
      status: {
        serverID: owned,
        phase: 'Ready',
        ready: true,
        conditions: [
          { type: 'Ready', status: 'True', reason: 'AllConditionsMet' },
          { type: 'Provisioned', status: 'True', reason: 'Provisioned' },
          { type: 'Bootstrapped', status: 'True', reason: 'Bootstrapped' },
        ],
      },
    },
  );
  harness.machine(
    'builders-1',
    { type: 'M4-M' },
    {
      status: {
        phase: 'Adopting',
        conditions: [
          {
            type: 'Provisioned',
            status: 'False',
            reason: 'NoAvailableHost',
            message: 'no M4-M is free',
            lastTransitionTime: '2026-11-03T11:00:00Z',
          },
        ],
      },
    },
  );
  const since = '2026-11-01T08:00:00Z';
  harness.host(
    pool ?? '',
    {},
    { state: 'Pooled', reason: 'Pooled', since, observed: { name: 'tuist-pool-1' } },
  );
  const claim = { namespace: 'ci', name: 'runners-1', uid };
  harness.host(
    owned ?? '',
    { claim, used: true },
    { state: 'Owned', reason: 'Owned', since, observed: { name: 'runners-1' } },
  );
  harness.host(
    lost ?? '',
    { claim: { namespace: 'ci', name: 'runners-0', uid: 'gone' }, used: true },
    { state: 'Stranded', reason: 'Stranded', since, observed: { name: 'runners-0' } },
  );
  harness.host(
    held ?? '',
    { hold: { reason: 'slow disk', since } },
    { state: 'Quarantined', reason: 'Quarantined', since, observed: { name: 'odd', zone: 'fr-par-3' } },
  );
  harness.host(
    ending ?? '',
    {},
    { state: 'Terminating', reason: 'Deleted', since, observed: { deletionScheduled: true } },
  );
  return harness;
}

let harness = smallFleet();
beforeEach(() => void (harness = smallFleet()));

it('reports an invalid pool prefix of a machine', async () => {
  harness.machine('builders-2', { adoptPoolPrefix: 't' });
  expect((await harness.muster('why', 'machine/ci/builders-2')).out).toContain(
    'another pool prefix: the prefix is shorter',
  );
});

describe('muster hosts', () => {
  it('fits 100 columns and ends with the costs of idle and stranded hosts', async () => {
    const { status, out } = await harness.muster('hosts');
    expect(out).toMatchInlineSnapshot(`
      "ID        SERVER        STATE        REASON   SINCE  CLAIM      ZONE      TYPE  OS     EPOCH  €/DAY
      cccc0000  runners-0     Stranded     -        2d4h   runners-0  fr-par-1  M2-L  Tahoe      1   2.64
      bbbb0000  runners-1     Owned        -        2d4h   runners-1  fr-par-1  M2-L  Tahoe      1   2.64
      eeee0000  server-eeee   Terminating  Deleted  2d4h   -          fr-par-1  M2-L  Tahoe      1   2.64
      aaaa0000  tuist-pool-1  Pooled       -        2d4h   -          fr-par-1  M2-L  Tahoe      1   2.64
      dddd0000  odd           Quarantined  -        2d4h   -          fr-par-3  M2-L  Tahoe      1   2.64
      5 hosts, 2 idle, 1 stranded. €/day: 5.28 idle, 2.64 stranded, 13.20 in total
      "
    `);
    expect(
      Math.max(
        ...out
          .split('\n')
          .slice(0, -2)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(100);
    expect(status).toBe(0);
  });

  it.for([
    [['--zone', 'fr-par-3'], '1 hosts, 1 idle, 0 stranded'],
    [['--state', 'Stranded'], '1 hosts, 0 idle, 1 stranded'],
    [['--idle'], '3 hosts, 2 idle, 1 stranded'],
    [['--zone', 'nowhere'], '0 hosts'],
  ] as const)('%j chooses', async ([args, closing]) => {
    expect((await harness.muster('hosts', ...args)).out).toContain(closing);
  });

  it('--json gives the same', async () => {
    const { out } = await harness.muster('hosts', '--json', '--state', 'Stranded');
    expect(JSON.parse(out)).toMatchObject({
      hosts: [{ id: lost, server: 'runners-0', claim: { name: 'runners-0' }, eurosPerDay: 2.64 }],
      totals: { stranded: 1, eurosPerDay: { stranded: 2.64, total: 2.64 } },
    });
  });

  it('a state that does not exist is wrong usage', async () => {
    const { status, err } = await harness.muster('hosts', '--state', 'Lost');
    expect([status, err]).toEqual([
      64,
      expect.stringContaining("there is no state 'Lost'; the states are Pooled,"),
    ]);
  });

  it('replaces control characters in names', async () => {
    harness.patchHost(pool ?? '', { status: { observed: { name: 'tuist-pool-\u001b[2J' } } }, 'status');
    const { out } = await harness.muster('hosts', '--wide');
    expect([out.includes('\u001b'), out.includes('tuist-pool-·[2J')]).toEqual([false, true]);
  });
});

describe('muster machines', () => {
  it('shows the progress of each machine and what it waits for', async () => {
    expect((await harness.muster('machines')).out).toMatchInlineSnapshot(`
      "MACHINE        PHASE     HOST      PROVISIONED  BOOTSTRAPPED  READY  WHY NOT          AGE
      ci/builders-1  Adopting  -         False        -             -      NoAvailableHost  0s
      ci/runners-1   Ready     bbbb0000  True         True          True   -                0s
      2 machines, 1 ready
      "
    `);
  });

  it('-n chooses a namespace, and contradicts -A', async () => {
    expect((await harness.muster('machines', '-n', 'other')).out).toBe('0 machines, 0 ready\n');
    expect((await harness.muster('machines', '-n', 'ci', '-A')).status).toBe(64);
  });

  it('a pause and a deletion come before any condition', async () => {
    harness.patchMachine('builders-1', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    harness.deleteMachine('runners-1');
    const { machines } = JSON.parse((await harness.muster('machines', '--json')).out);
    expect(machines.map(({ whyNot }: { whyNot: string }) => whyNot)).toEqual(['Paused', 'Deleting']);
  });
});

describe('muster why', () => {
  it('a stranded host: rule, meaning, and what to do', async () => {
    expect((await harness.muster('why', 'host/runners-0')).out).toMatchInlineSnapshot(`
      "host cccc0000-0000-4000-8000-000000000000 (server runners-0)
        state         Stranded since 2d4h (2026-11-01T08:00:00Z)
        reason        Stranded: The host was used, and its machine no longer exists.
        rule          abandoned × ready × name own → Stranded
        wanted        the machine that claims the host no longer exists
        seen          the host is ready (ready)
        next          nothing
        changes when  an operator decides: muster release cccc0000, or muster quarantine cccc0000
        claim         ci/runners-0 (uid gone), which does not exist
        no recent events
      "
    `);
  });

  it('a machine with two hosts, and each of the two hosts', async () => {
    const { metadata } = harness.get(
      '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/ci/scalewayapplesiliconmachines/runners-1',
    );
    const claim = { namespace: 'ci', name: 'runners-1', uid: fieldsOf(metadata)['uid'] };
    harness.patchHost(pool ?? '', { spec: { claim, used: true } });
    for (const asked of ['machine/ci/runners-1', 'host/tuist-pool-1', 'host/runners-1'])
      expect((await harness.muster('why', asked)).out.replaceAll(/\s+/g, ' ')).toContain(
        `warning machine runners-1: 2 hosts are reserved for the machine: ${owned}, ${pool}`,
      );
  });

  it('several machines that name one host', async () => {
    harness.machine('runners-2', {}, { status: { serverID: owned } });
    expect((await harness.muster('why', 'machine/ci/runners-2')).out.replaceAll(/\s+/g, ' ')).toContain(
      `warning host ${owned}: 2 machines name the host: ci/runners-1, ci/runners-2; ci/runners-1 holds its claim`,
    );
  });

  it('a waiting machine: how many hosts do not fit, and why', async () => {
    expect((await harness.muster('why', 'machine/ci/builders-1')).out).toMatchInlineSnapshot(`
      "machine ci/builders-1 (uid 779735a4-9242-4162-9551-ab379d2ba144)
        phase         Adopting
        reason        NoAvailableHost: No free host has the requested zone, type and operating system.
        Provisioned   False since 1h, NoAvailableHost: no M4-M is free
        host          none
        waits for     a free M4-M with Tahoe in fr-par-1, called tuist-pool-…: there is none
        refused       2 hosts: claimed by a machine
        refused       1 host: not named like a free host of this pool
        refused       1 host: of another type
        changes when  one of these becomes free, or a host is added
        no recent events
      "
    `);
  });

  it('a host on hold, by the first letters of its id', async () => {
    const { out } = await harness.muster('why', 'dddd0000');
    expect(out).toContain('held × ready → Quarantined');
    expect(out).toMatch(/on hold +since 2d4h: slow disk/);
  });

  it('a state that differs from the result of the rules now', async () => {
    harness.patchHost(pool ?? '', { spec: { used: true } });
    expect((await harness.muster('why', 'tuist-pool-1')).out).toMatch(/but by now +Stranded, Stranded/);
  });

  it('a machine that is paused and deleted, with its host', async () => {
    harness.patchMachine('runners-1', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    harness.deleteMachine('runners-1');
    const { out } = await harness.muster('why', 'machine/ci/runners-1');
    expect(out).toMatch(/paused +an operator paused/);
    expect(out).toMatch(/deleted +since 0s; held by scalewayapplesilicon/);
    expect(out).toContain(`${owned}, Owned`);
  });

  it('recent Events of the object, and of no other', async () => {
    await harness.muster('release', 'runners-0', '--yes', '--timeout', '0s', '--pool-prefix', 'tuist-pool-');
    expect((await harness.muster('why', 'host/runners-0')).out).toContain(
      'Normal  Releasing: pool was ordered by a person',
    );
    expect((await harness.muster('why', 'host/odd')).out).toContain('no recent events');
  });

  it('works without the right to read Events', async () => {
    const refused = { status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'no' } };
    harness.transport.trouble = ({ path }) => (path.endsWith('/events') ? refused : undefined);
    const { status, out } = await harness.muster('why', 'host/odd');
    expect([status, out]).toEqual([
      0,
      expect.stringContaining('lacks the verb "list" on the resource "events"'),
    ]);
    expect(out).toContain('held × ready → Quarantined');
  });

  it('reads a name with a namespace as a machine', async () => {
    expect((await harness.muster('why', 'ci/builders-1')).out).toContain('machine ci/builders-1 (uid');
  });

  it('--json has the rule and the counts', async () => {
    expect(JSON.parse((await harness.muster('why', 'machine/ci/builders-1', '--json')).out)).toMatchObject({
      reason: 'NoAvailableHost',
      refused: { taken: 2, type: 1, name: 1 },
    });
  });

  it('suggests similar names for an unknown object', async () => {
    expect((await harness.muster('why', 'host/runers-0')).err).toBe(
      'error: there is no host "runers-0"; did you mean runners-0 or runners-1?; see: muster hosts\n',
    );
    expect((await harness.muster('why', 'machine/ci/runner-1')).err).toContain('did you mean ci/runners-1');
  });

  it('rejects fewer letters of an id than the tables show', async () => {
    expect((await harness.muster('why', 'host/aaaa')).err).toContain('there is no host "aaaa"');
  });

  it('finds a host by its machine while the inventory still shows another server name', async () => {
    harness.patchHost(owned ?? '', { status: { observed: { name: 'tuist-pool-9' } } }, 'status');
    expect((await harness.muster('why', 'host/runners-1')).out).toContain(
      `host ${owned} (server tuist-pool-9)`,
    );
  });

  it('rejects the name of two machines with hosts', async () => {
    const claim = { namespace: 'other', name: 'runners-1', uid: 'another' };
    for (const [id, name] of [
      [owned, 'x'],
      [lost, 'y'],
    ] as const)
      harness.patchHost(id ?? '', { status: { observed: { name } } }, 'status');
    harness.patchHost(lost ?? '', { spec: { claim } });
    const { status, err } = await harness.muster('why', 'host/runners-1');
    expect([status, err]).toEqual([1, expect.stringContaining('"runners-1" means 2 hosts')]);
  });

  it('rejects the name of two servers', async () => {
    harness.patchHost(pool ?? '', { status: { observed: { name: 'runners-0' } } }, 'status');
    const { status, err } = await harness.muster('why', 'host/runners-0');
    expect([status, err]).toEqual([1, expect.stringContaining('"runners-0" means 2 hosts')]);
  });
});

describe('muster audit', () => {
  it('a stranded host is a finding and ends with 1', async () => {
    const { status, out, err } = await harness.muster('audit');
    expect([status, out, err]).toMatchInlineSnapshot(`
      [
        1,
        "L2  host/cccc0000-0000-4000-8000-000000000000: the claim names ci/runners-0 with uid gone, but that machine does not exist
      looked at 5 hosts and 2 machines under S1, S2, S6, S7, S17, S21, L2, L3: see above
      ",
        "error: 1 finding; what they mean: docs/invariants.md
      ",
      ]
    `);
  });

  it('[S21] an order on a host of a living machine is a finding', async () => {
    const hold = { reason: 'looked at', since: '2026-11-03T11:00:00Z' };
    harness.patchHost(lost ?? '', { spec: { hold } });
    const orderedAt = '2026-11-03T11:00:00Z';
    const release = { policy: 'pool', poolPrefix: 'p-x-', orderedBy: 'sweep', orderedAt };
    harness.patchHost(owned ?? '', { spec: { release } });
    const { status, out } = await harness.muster('audit');
    const speaks = 'machine ci/runners-1 speaks for the host by claim, name, serverID, providerID';
    expect([status, out.split('\n')[0]]).toEqual([
      1,
      `S21 host/${owned}: sweep ordered pool, although ${speaks}`,
    ]);
    harness.patchHost(owned ?? '', { spec: { hold } });
    expect((await harness.muster('audit')).status).toBe(0);
  });

  it('a clean fleet ends with 0', async () => {
    harness.patchHost(lost ?? '', { spec: { hold: { reason: 'looked at', since: '2026-11-03T11:00:00Z' } } });
    const { status, out } = await harness.muster('audit', '--json');
    expect([status, JSON.parse(out).findings]).toEqual([0, []]);
  });
});
