import { describe, expect, it } from 'vitest';
import { Zone } from '../../api/names/ids.ts';
import { observedOf } from '../state/observed-server.ts';
import type { MacHostObject } from '../state/objects.ts';
import type { Server } from '../provider/port.ts';
import { plan, type Observed } from './plan.ts';

function server(id: string, name = `pool-${id}`): Server {
  return {
    id,
    name,
    zone: 'z',
    type: 'M2-L',
    ip: undefined,
    status: 'ready',
    statusText: 'ready',
    delivered: true,
    os: undefined,
    deletableAt: undefined,
    deletionScheduled: false,
    sshUsername: 'm1',
    sudoPassword: undefined,
    vncUrl: undefined,
  };
}

function known(id: string, seen = observedOf(server(id))): MacHostObject {
  const { name, type, status, delivered, deletionScheduled } = seen;
  const observed = { name, type, status, delivered, deletionScheduled, zone: Zone.parse('z') };
  return { metadata: { name: id, uid: `uid-${id}`, resourceVersion: '1' }, status: { observed } };
}

const calm: Observed = {
  zone: 'z',
  began: 0,
  servers: [],
  known: new Map(),
  missed: new Map(),
  claimPrefix: 'runners-',
  isSpokenFor: () => false,
  prices: new Map(),
  nextAt: 0,
};

function done(over: Partial<Observed>): readonly string[] {
  const { actions } = plan({ ...calm, ...over });
  return actions.map((action) => {
    if ('id' in action) return `${action.kind} ${action.id} ${String(action.used)}`;
    const hosts = 'hosts' in action ? action.hosts : [action.host];
    return `${action.kind} ${hosts.map(({ metadata }) => metadata.name).join(' ')}`;
  });
}

describe('a listing', () => {
  it.for([
    ['pool-a', false],
    ['runners-7', true],
    ['tuist-claim-pending-1', false],
    ['apple-silicon-1', false],
  ] as const)('creates a MacHost for a server named %s, used: %s', ([name, used]) =>
    expect(done({ servers: [server('a', name)] })).toEqual([`enter a ${String(used)}`]),
  );

  it('records a server that a machine names as used, whatever its name', () =>
    expect(done({ servers: [server('a')], isSpokenFor: () => true })).toEqual(['enter a true']));

  it('writes only changes', () => {
    const same = new Map([
      ['a', { ...known('a'), status: { observed: { ...known('a').status?.observed } } }],
    ]);
    const zoned = new Map([...same].map(([id, host]) => [id, host] as const));
    expect(done({ servers: [server('a', 'runners-1')], known: zoned })).toEqual(['see a']);
  });

  it('reads servers that two listings in a row did not show', () => {
    const hosts = new Map([
      ['a', known('a')],
      ['b', known('b')],
    ]);
    expect(
      done({
        servers: [server('c')],
        known: hosts,
        missed: new Map([
          ['a', 2],
          ['b', 1],
        ]),
      }),
    ).toEqual(['enter c false', 'miss a']);
  });

  it('that is empty twice while hosts are known has all of them read together', () => {
    const hosts = new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, known(id)]));
    const missed = (b: number) => new Map([...hosts.keys()].map((id) => [id, id === 'b' ? b : 2]));
    expect(done({ known: hosts, missed: missed(2) })).toEqual(['miss-all a b c d e f']);
    expect(done({ known: hosts, missed: missed(1) })).toEqual([]);
  });

  it('that is empty ignores hosts known to be gone', () => {
    const gone = known('a', { ...observedOf(server('a')), status: 'gone' });
    expect(done({ known: new Map([['a', gone]]), missed: new Map([['a', 9]]) })).toEqual([]);
  });

  it('reads at most five missing servers at once', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const hosts = new Map(ids.map((id) => [id, known(id)]));
    const missed = new Map(ids.map((id) => [id, 2]));
    expect(done({ servers: [server('x')], known: hosts, missed })).toHaveLength(6);
  });
});

describe('the price of a host', () => {
  const prices = new Map([['M2-L', 4.8]]);
  const seenIn = (over: Partial<Observed>) => {
    const { actions } = plan({ ...calm, ...over });
    return actions.map((action) => ('seen' in action ? action.seen.pricePerHourEuros : action.kind));
  };

  it('is recorded by the hour, and once', () => {
    const servers = [server('a')];
    expect(seenIn({ servers, prices })).toEqual([0.2]);
    const host = known('a');
    expect(seenIn({ servers, prices, known: new Map([['a', host]]) })).toEqual([0.2]);
    const observed = { ...host.status?.observed, pricePerHourEuros: 0.2 };
    const priced: MacHostObject = { ...host, status: { observed } };
    expect(seenIn({ servers, prices, known: new Map([['a', priced]]) })).toEqual([]);
  });

  it('is removed when no longer configured', () => {
    expect(seenIn({ servers: [server('a')] })).toEqual([null]);
  });
});
