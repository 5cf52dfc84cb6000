import { describe, expect, it } from 'vitest';
import { Zone } from '../../api/names/ids.ts';
import { candidatesFor, countIneligible, ineligibility, type HostRequirements } from './candidates.ts';
import type { HostRecord } from './host-record.ts';

const requirements: HostRequirements = { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe', poolPrefix: 'pool-' };
const free = {
  name: 'pool-1',
  zone: Zone.parse('fr-par-1'),
  type: 'M2-L',
  status: 'ready',
  delivered: true,
  os: { name: 'macos-tahoe-26.3', family: 'Tahoe' },
};

function host(
  spec: HostRecord['spec'],
  observed: Partial<typeof free> & { deletionScheduled?: boolean } = {},
  id = 'h',
): HostRecord {
  return { id, spec, status: { observed: { ...free, ...observed } } };
}

const since = '2026-01-01T00:00:00Z';

describe('a machine takes no host', () => {
  it.for([
    ['that is elsewhere', host({}, { zone: Zone.parse('fr-par-3') }), 'zone'],
    ['that is held', host({ hold: { reason: 'x', since } }), 'held'],
    [
      'that is being released',
      host({ release: { policy: 'pool', orderedBy: 'machine', orderedAt: since } }),
      'leaving',
    ],
    ['of another name', host({}, { name: 'runners-1' }), 'name'],
    ['that is only pending', host({}, { name: 'tuist-claim-pending-1' }), 'name'],
    ['whose disk was used', host({ used: true }), 'used'],
    ['whose rent ends', host({}, { deletionScheduled: true }), 'scheduled'],
    ['of another type', host({}, { type: 'M1-M' }), 'type'],
    ['with another macOS', host({}, { os: { name: 'macos-sequoia-15.4', family: 'Sequoia' } }), 'os'],
    ['that is being wiped', host({}, { status: 'reinstalling' }), 'notReady'],
    ['that was not handed over', host({}, { delivered: false }), 'notReady'],
  ] as const)('%s', ([, record, reason]) => expect(ineligibility(record, requirements)).toBe(reason));

  it('under an empty prefix, whatever its name', () => {
    expect(ineligibility(host({}), { ...requirements, poolPrefix: '' })).toBe('name');
  });
});

it('a machine that pins an image takes any of its family', () => {
  expect(ineligibility(host({}), { ...requirements, os: 'macos-tahoe-26.1' })).toBeUndefined();
});

it('candidates are sorted by id, whatever order they are listed in', () => {
  const hosts = [host({}, {}, 'b'), host({}, {}, 'a'), host({ used: true }, {}, 'c')];
  expect(candidatesFor(hosts, requirements).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(candidatesFor(hosts.toReversed(), requirements).map(({ id }) => id)).toEqual(['a', 'b']);
});

it('counts the unfit hosts of the requested zone by reason', () => {
  const hosts = [
    host({ used: true }),
    host({ used: true }),
    host({}, { type: 'M1-M' }),
    host({}, { zone: Zone.parse('x') }),
  ];
  expect([...countIneligible(hosts, requirements)]).toEqual([
    ['used', 2],
    ['type', 1],
  ]);
});
