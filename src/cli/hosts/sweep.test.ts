import { beforeEach, describe, expect, it } from 'vitest';
import { FleetHarness, idOf } from '../../../lab/harness/fleet-harness.ts';

const names = ['--claim-prefix', 'runners-', '--default-adopt-pool-prefix', 'tuist-pool-'];
let harness = new FleetHarness();
beforeEach(() => {
  harness = new FleetHarness().install();
  harness.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
});

/** A host whose machine is gone. */
function strand(id: string, name: string, since = '2026-11-03T10:00:00Z'): void {
  const claim = { namespace: 'ci', name, uid: `gone-${id}` };
  const status = {
    state: 'Stranded',
    reason: 'Stranded',
    since,
    observed: { name, os: { family: 'Sonoma' } },
  };
  harness.host(idOf(id), { claim, used: true }, status);
}

/** A machine in another namespace. */
function elsewhere(name: string): void {
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1alpha1';
  harness.post('/api/v1/namespaces', { metadata: { name: 'other' } });
  harness.post(`/apis/${apiVersion}/namespaces/other/scalewayapplesiliconmachines`, {
    apiVersion,
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name, namespace: 'other' },
    spec: {},
  });
}

const releaseOf = (id: string): unknown => harness.specOf(idOf(id))['release'];

describe('muster sweep', () => {
  it('reports which hosts it would reclaim and why not the others, and changes nothing', async () => {
    strand('aaaa', 'runners-0');
    strand('bbbb', 'somebody');
    strand('cccc', 'runners-2', '2026-11-03T11:59:00Z');
    strand('dddd', 'runners-3');
    elsewhere('runners-3');
    strand('eeee', 'runners-4');
    harness.machine('runners-4');
    const { status, out } = await harness.muster('sweep', ...names);
    expect(status).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "host/aaaa0000 (runners-0), stranded 2h: would be reclaimed: no machine speaks for it
      host/bbbb0000 (somebody), stranded 2h: not reclaimed: the server name somebody does not begin
          with runners-
      host/cccc0000 (runners-2), stranded 1m: not reclaimed: the manager has reported it as stranded
          for 1m only; 5m are required
      host/dddd0000 (runners-3), stranded 2h: not reclaimed: machine other/runners-3 is called like
          the server; to overrule: muster release dddd0000 --force --reason TEXT
      4 stranded, 1 would be reclaimed now; nothing was changed; to order it: --yes
      "
    `);
    const all = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee'];
    expect(all.map(releaseOf)).toEqual(all.map(() => undefined));
  });

  it('--yes orders the reclaims, with the observed macOS family, and skips the others', async () => {
    strand('aaaa', 'runners-0');
    strand('bbbb', 'somebody');
    const { status, out } = await harness.muster('sweep', ...names, '--yes');
    expect([status, out.split('\n').at(-2)]).toEqual([
      0,
      '2 stranded, 1 ordered to be wiped and offered again',
    ]);
    const order = {
      policy: 'pool',
      poolPrefix: 'tuist-pool-',
      osFamily: 'Sonoma',
      orderedBy: 'person: sweep',
    };
    expect(releaseOf('aaaa')).toMatchObject(order);
    expect(releaseOf('bbbb')).toBeUndefined();
  });

  it('reclaims at most --max hosts at once', async () => {
    for (const id of ['aaaa', 'bbbb', 'cccc']) strand(id, `runners-${id}`);
    const { out } = await harness.muster('sweep', ...names, '--yes', '--max', '2');
    expect(out.replaceAll(/\s+/g, ' ')).toContain('at most 2 are reclaimed at once');
    expect(['aaaa', 'bbbb', 'cccc'].filter((id) => releaseOf(id) !== undefined)).toHaveLength(2);
  });

  it('a machine that appears meanwhile protects its host', async () => {
    strand('aaaa', 'runners-0');
    let reads = 0;
    harness.transport.trouble = ({ path }) => {
      if (path.endsWith('/scalewayapplesiliconmachines')) reads += 1;
      if (reads === 2 && harness.machineNames().length === 0) harness.machine('runners-0');
      return undefined;
    };
    const { status, out } = await harness.muster('sweep', ...names, '--yes');
    expect([status, releaseOf('aaaa')]).toEqual([0, undefined]);
    expect(out).toContain('The host is no longer stranded: machine ci/runners-0 is called like the server.');
    expect(out).toContain('1 stranded, 0 ordered');
  });

  it('reclaims nothing without name prefixes', async () => {
    strand('aaaa', 'runners-0');
    const { out } = await harness.muster('sweep', '--yes');
    expect(out).toContain('hosts are only reported');
    expect(releaseOf('aaaa')).toBeUndefined();
  });

  it('--json reports, and does not order', async () => {
    strand('aaaa', 'runners-0');
    const { out, err } = await harness.muster('sweep', ...names, '--json');
    expect(JSON.parse(out)).toMatchObject({ stranded: [{ id: idOf('aaaa'), isTaken: true }] });
    expect([err, releaseOf('aaaa')]).toEqual(['', undefined]);
  });

  it('--json --yes orders, and reports orders and states in one document', async () => {
    strand('aaaa', 'runners-0');
    strand('bbbb', 'somebody');
    const { status, out } = await harness.muster('sweep', ...names, '--json', '--yes');
    expect([status, releaseOf('bbbb')]).toEqual([0, undefined]);
    expect(releaseOf('aaaa')).toMatchObject({ orderedBy: 'person: sweep' });
    expect(JSON.parse(out)).toMatchObject({
      stranded: [{ isTaken: true }, { isTaken: false }],
      orders: [
        {
          subject: `host/${idOf('aaaa')}`,
          done: [
            expect.stringContaining(idOf('aaaa').slice(0, 8)),
            'Wipe the host and offer it again as tuist-pool-…',
          ],
          observed: [{ what: 'the order is stored', isSeen: true, state: 'Stranded' }],
        },
      ],
    });
  });

  it('--json --yes reports the orders made before a failure', async () => {
    for (const id of ['aaaa', 'bbbb']) strand(id, `runners-${id}`);
    harness.transport.trouble = ({ method, path }) =>
      method === 'PATCH' && path.includes('bbbb0000') ? { status: 422, body: {} } : undefined;
    const { status, out } = await harness.muster('sweep', ...names, '--json', '--yes');
    const { orders, error } = JSON.parse(out);
    expect([status, orders.map(({ done }: { done: unknown[] }) => done.length)]).toEqual([1, [2, 0]]);
    expect(error).toEqual(expect.any(String));
  });
});
