import { describe, expect, it } from 'vitest';
import { ClaimName, MachineUid } from '../../api/names/ids.ts';
import { fleetViewOf } from '../state/host-view.ts';
import type { MacHostObject } from '../state/objects.ts';
import { plan, unansweredIn, type Observed } from './plan.ts';

function host(
  id: string,
  name = `runners-${id}`,
  over: Partial<NonNullable<MacHostObject['spec']>> = { used: true },
): MacHostObject {
  const observed = { name, status: 'ready', delivered: true };
  return { metadata: { name: id, uid: `uid-${id}`, resourceVersion: '1' }, spec: over, status: { observed } };
}

function owner(name: string) {
  return { namespace: 'ci', name: ClaimName.parse(name), uid: MachineUid.parse('gone') };
}

function swept(hosts: readonly MacHostObject[], over: Partial<Observed> = {}): readonly string[] {
  const seen = new Map(hosts.map(({ metadata }) => [metadata.name, 2]));
  const { actions } = plan({
    now: 0,
    nextAt: 60_000,
    hosts,
    view: fleetViewOf({ hosts: [], machines: [] }, { poolPrefixes: ['pool-'], claimPrefix: 'runners-' }),
    isReclaimDue: true,
    seenStranded: seen,
    claimPrefix: 'runners-',
    poolPrefix: 'pool-',
    reclaimsMax: 2,
    reclaimedLately: 0,
    ...over,
  });
  return actions.map(({ host: { metadata } }) => metadata.name);
}

describe('a sweep', () => {
  it('reclaims stranded hosts with a machine name', () => expect(swept([host('a')])).toEqual(['a']));
  it('reclaims used hosts with a pool name', () => expect(swept([host('b', 'pool-b')])).toEqual(['b']));
  it.for([
    ['may only report', [host('a')], { claimPrefix: '' }],
    ['has no pool', [host('a')], { poolPrefix: '' }],
    ['finds a foreign name', [host('a', 'another-user')], {}],
    ['finds an adoption that may be under way', [host('a', 'tuist-claim-pending-1')], {}],
    ['runs between two periods', [host('a')], { isReclaimDue: false }],
    ['has only one inventory with the stranded host', [host('a')], { seenStranded: new Map([['a', 1]]) }],
    ['finds the host free', [host('a', 'pool-a', {})], {}],
    [
      'finds the host held',
      [host('a', 'runners-a', { used: true, hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } })],
      {},
    ],
  ] as const)('reclaims nothing when it %s', ([, hosts, over]) => expect(swept(hosts, over)).toEqual([]));
  it('reclaims no more than the cap at once', () =>
    expect(swept([host('a'), host('b'), host('c')])).toEqual(['a', 'b']));
  it('reclaims no more than the rest of the cap in an early pass', () =>
    expect(swept([host('a'), host('b')], { reclaimedLately: 1 })).toEqual(['a']));
  it('explains each host that it does not reclaim', () => {
    const hosts = [host('a', 'elsewhere-a', { used: true, lastOwner: owner('elsewhere-a') })];
    const { notes } = plan({
      now: 0,
      nextAt: 0,
      hosts,
      view: fleetViewOf({ hosts: [], machines: [] }, { poolPrefixes: ['pool-'], claimPrefix: '' }),
      isReclaimDue: true,
      seenStranded: new Map(),
      claimPrefix: 'runners-',
      poolPrefix: 'pool-',
      reclaimsMax: 2,
      reclaimedLately: 0,
    });
    expect(notes).toEqual([
      {
        subject: 'a',
        reason: 'Stranded',
        detail: 'the host is not reclaimed: the server name elsewhere-a does not begin with runners-',
      },
    ]);
  });
});

describe('the hosts counted as rented without an owner', () => {
  const view = fleetViewOf({ hosts: [], machines: [] }, { poolPrefixes: ['pool-'], claimPrefix: 'runners-' });
  const counted = (...hosts: readonly MacHostObject[]) =>
    unansweredIn({ hosts, view, now: 0 }).map(({ metadata }) => metadata.name);

  it('are stranded or foreign, whatever the claim prefix', () => {
    const free = host('c', 'pool-c', {});
    expect(counted(host('a'), host('b', 'apple-silicon-1', {}), free)).toEqual(['a', 'b']);
  });

  it('exclude held hosts and hosts not shown by an inventory', () => {
    const held = { used: true, hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } };
    const unseen: MacHostObject = { ...host('b', 'any', {}), status: {} };
    expect(counted(host('a', 'runners-a', held), unseen)).toEqual([]);
  });
});
