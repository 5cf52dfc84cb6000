import { beforeEach, describe, expect, it } from 'vitest';
import { FleetHarness, idOf } from '../../../lab/harness/fleet-harness.ts';

const since = '2026-11-03T10:00:00Z';
const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/ci/leases';

function lease(renewTime: string, holderIdentity = 'pod-1') {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'muster-manager' },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime },
  };
}

/** A free host, a host on hold, and a waiting machine: no failure. */
function quietFleet(held = lease('2026-11-03T11:59:55.000000Z')): FleetHarness {
  const fleet = new FleetHarness().install();
  fleet.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
  fleet.host(
    idOf('aaaa'),
    {},
    { state: 'Pooled', reason: 'Pooled', since, observed: { name: 'tuist-pool-1' } },
  );
  fleet.host(
    idOf('dddd'),
    { hold: { reason: 'slow disk', since } },
    { state: 'Quarantined', reason: 'Quarantined', since, observed: { name: 'odd' } },
  );
  const waits = {
    type: 'Provisioned',
    status: 'False',
    reason: 'NoAvailableHost',
    message: 'no M4-M is free',
    lastTransitionTime: '2026-11-03T11:00:00Z',
  };
  fleet.machine('builders-1', { type: 'M4-M' }, { status: { phase: 'Adopting', conditions: [waits] } });
  fleet.post(leasesPath, held);
  return fleet;
}

let harness = quietFleet();
beforeEach(() => void (harness = quietFleet()));

function strand(name = 'runners-0'): void {
  const claim = { namespace: 'ci', name, uid: 'gone' };
  const observed = { name };
  harness.host(
    idOf('cccc'),
    { claim, used: true },
    { state: 'Stranded', reason: 'Stranded', since, observed },
  );
}

describe('muster status', () => {
  it('shows hosts, machines, waiting machines with reasons, hosts on hold, and the leader', async () => {
    const { status, out, err } = await harness.muster('status');
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatchInlineSnapshot(`
      "hosts        2: 1 Pooled, 1 Quarantined
      machines     1: 1 Adopting
      waiting      1
                   ci/builders-1  1h     NoAvailableHost: no M4-M is free
      quarantined  1
                   dddd0000 (odd)  2h     slow disk
      manager      pod-1 leads, renewed 5s ago
      last change  a host changed its state 2h ago; inventories without changes are not recorded
      audit        all hold: S1, S2, S6, S7, S17, S21, L2, L3
      "
    `);
  });

  it('counts a stranded host and a finding of the audit as failures', async () => {
    strand();
    const { status, out, err } = await harness.muster('status');
    expect(status).toBe(1);
    expect(out).toMatch(/stranded +1\n +cccc0000 \(runners-0\) +2h +Stranded\n/);
    expect(err).toBe('error: audit: 1 (muster audit); stranded hosts: 1 (muster sweep)\n');
  });

  it('cuts every line at 100 columns', async () => {
    strand('r'.repeat(60));
    const { out } = await harness.muster('status');
    expect(out.split('\n').filter((line) => Array.from(line).length > 100)).toEqual([]);
  });

  it.each([
    ['a Lease that was not renewed', lease('2026-11-03T11:00:00.000000Z'), 'pod-1 has not renewed'],
    [
      'a Lease without a holder',
      lease('2026-11-03T11:59:55.000000Z', ''),
      'the Lease muster-manager has no holder',
    ],
  ])('%s is a failure: nothing is done about anything', async (_, held, why) => {
    harness = quietFleet(held);
    const { status, err } = await harness.muster('status');
    expect(status).toBe(1);
    expect(err).toContain(`no manager leads: ${why}`);
  });

  it('shows the first entries of a long list, and the command for the rest', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      harness.machine(
        name,
        {},
        { status: { conditions: [{ type: 'Provisioned', status: 'False', reason: 'NoAvailableHost' }] } },
      );
    expect((await harness.muster('status')).out).toContain('and 2 more: muster machines');
  });

  it('--json gives the same, with the problems', async () => {
    strand();
    const { out } = await harness.muster('status', '--json');
    expect(JSON.parse(out)).toMatchObject({
      hosts: [
        { name: 'Pooled', count: 1 },
        { name: 'Stranded', count: 1 },
        { name: 'Quarantined', count: 1 },
      ],
      waiting: [{ name: 'ci/builders-1', why: 'NoAvailableHost: no M4-M is free' }],
      leader: { kind: 'leads', who: 'pod-1' },
      troubles: ['audit: 1 (muster audit)', 'stranded hosts: 1 (muster sweep)'],
    });
  });

  it('--watch and --json contradict each other', async () => {
    expect((await harness.muster('status', '--watch', '--json')).status).toBe(64);
  });
});
