import { describe, expect, it } from 'vitest';
import type { MacHostObject } from '../../fleet/objects.ts';
import { plan, type Observed } from './plan.ts';

function host(
  id: string,
  name = `runners-${id}`,
  over: Partial<NonNullable<MacHostObject['spec']>> = { used: true },
): MacHostObject {
  const observed = { name, status: 'ready', delivered: true };
  return { metadata: { name: id, uid: `uid-${id}`, resourceVersion: '1' }, spec: over, status: { observed } };
}

function swept(hosts: readonly MacHostObject[], over: Partial<Observed> = {}): readonly string[] {
  const seen = new Map(hosts.map(({ metadata }) => [metadata.name, 2]));
  const { actions } = plan({
    now: 0,
    nextAt: 60_000,
    hosts,
    view: {
      isLive: () => true,
      isStaying: () => true,
      isBound: () => false,
      isServing: () => false,
      isHome: () => false,
      poolPrefixes: ['pool-'],
      claimPrefix: 'runners-',
    },
    seenStranded: seen,
    saved: new Map(),
    claimPrefix: 'runners-',
    poolPrefix: 'pool-',
    reclaimsMax: 2,
    reclaimedLately: 0,
    ...over,
  });
  return actions.map(({ host: { metadata } }) => metadata.name);
}

describe('a sweep', () => {
  it('takes back what is stranded under a name of ours', () => expect(swept([host('a')])).toEqual(['a']));
  it('takes back pending names, and pool names whose disk was used', () =>
    expect(swept([host('a', 'tuist-claim-pending-1'), host('b', 'pool-b')])).toEqual(['a', 'b']));
  it.for([
    ['is only told to report', [host('a')], { claimPrefix: '' }],
    ['has no pool to put it into', [host('a')], { poolPrefix: '' }],
    ['finds another name', [host('a', 'somebody-else')], {}],
    ['has seen it so in one inventory only', [host('a')], { seenStranded: new Map([['a', 1]]) }],
    ['finds it free', [host('a', 'pool-a', {})], {}],
    [
      'finds it kept aside',
      [host('a', 'runners-a', { used: true, hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } })],
      {},
    ],
  ] as const)('takes nothing when it %s', ([, hosts, over]) => expect(swept(hosts, over)).toEqual([]));
  it('takes no more than the cap at once', () =>
    expect(swept([host('a'), host('b'), host('c')])).toEqual(['a', 'b']));
  it('takes no more than is left of the cap when it comes early', () =>
    expect(swept([host('a'), host('b')], { reclaimedLately: 1 })).toEqual(['a']));
  it('takes those first that a closer look has not saved before', () => {
    const saved = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    expect(swept([host('a'), host('b'), host('c')], { saved })).toEqual(['c', 'b']);
  });
  it('says of each that it leaves alone why', () => {
    const hosts = [host('a', 'somebody-else')];
    const { notes } = plan({
      now: 0,
      nextAt: 0,
      hosts,
      view: {
        isLive: () => true,
        isStaying: () => true,
        isBound: () => false,
        isServing: () => false,
        isHome: () => false,
        poolPrefixes: [],
        claimPrefix: '',
      },
      seenStranded: new Map(),
      saved: new Map(),
      claimPrefix: 'runners-',
      poolPrefix: 'pool-',
      reclaimsMax: 2,
      reclaimedLately: 0,
    });
    expect(notes).toEqual([
      {
        subject: 'a',
        reason: 'Stranded',
        detail: 'it is left alone: its name somebody-else does not begin with runners-',
      },
    ]);
  });
});
