import { describe, expect, it } from 'vitest';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { ClaimName, MachineUid, Zone } from '../../api/names/ids.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { ownershipOf } from '../state/ownership.ts';
import type { Observed } from './decision.ts';
import { decide } from './plan.ts';

const meta = { name: 'runners-1', namespace: 'ci', uid: 'u1', resourceVersion: '1' };
const spec = { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe' };
const zone = Zone.parse('fr-par-1');
const free = {
  name: 'pool-1',
  zone,
  type: 'M2-L',
  status: 'ready',
  delivered: true,
  ip: '192.0.2.1',
  os: { name: 'macos-tahoe-26.3', family: 'Tahoe' },
};
const claim = { namespace: 'ci', name: ClaimName.parse('runners-1'), uid: MachineUid.parse('u1') };
const another = { ...claim, name: ClaimName.parse('runners-2'), uid: MachineUid.parse('other') };
/** As it was before it came back from a backup. */
const former = { ...claim, uid: MachineUid.parse('u0') };

function host(over: Partial<MacHostObject> = {}, name = 'h1'): MacHostObject {
  const metadata = { name, uid: `uid-${name}`, resourceVersion: '1' };
  return { metadata, spec: {}, status: { observed: free }, ...over };
}

function machine(over: Partial<MachineObject> = {}, more: object = {}): MachineObject {
  return { metadata: { ...meta, ...more }, spec, ...over };
}

const meant = { annotations: { [annotations.host.key]: 'h1' }, finalizers: [finalizers.machine.key] };
const leaving = { ...meant, deletionTimestamp: '2026-01-01T00:00:00Z' };

const still: Observed = {
  now: 0,
  machine: machine(),
  host: undefined,
  isShared: false,
  isServingOthers: false,
  isNamedByPerson: false,
  named: [],
  hosts: [],
  gate: 'open',
  isListed: true,
  defaultPoolPrefix: 'pool-',
  claimPrefix: 'runners-',
};

function reported(observed: Partial<Observed>): string {
  const { reason, action } = decide({ ...still, ...observed });
  const release = action?.kind === 'give-up' ? ` ${action.release.kind}` : '';
  return `${reason}${action === undefined ? '' : ` ${action.kind}`}${release}`;
}

describe('a machine without a host', () => {
  it.for(['r', 'runners', 'runners-1', 'tuist-', 'tuist-claim-pending-'])(
    'finds none under the prefix %s',
    (adoptPoolPrefix) => {
      const bad = machine({ spec: { ...spec, adoptPoolPrefix } });
      expect(reported({ machine: bad, hosts: [host()] })).toBe('PoolPrefixRefused');
      const means = machine({ spec: { ...spec, adoptPoolPrefix } }, meant);
      expect(reported({ machine: means, host: host(), hosts: [host()] })).toBe('PoolPrefixRefused');
    },
  );
  it('waits while one of its name elsewhere came first', () =>
    expect(reported({ namesake: 'other/runners-1', hosts: [host()] })).toBe('NameTaken'));
  it('whose name leaves no room for that of its Secret takes none', () =>
    expect(reported({ machine: machine({}, { name: 'n'.repeat(244) }), hosts: [host()] })).toBe(
      'NameTooLong',
    ));
  it('says first which it means', () => expect(reported({ hosts: [host()] })).toBe('Adopting intend'));
  it('waits where none is free', () =>
    expect(reported({ hosts: [host({ spec: { used: true } })] })).toBe('NoAvailableHost'));
  it('takes no host before the zone was listed, since a server without an object may carry its name', () => {
    const waiting = decide({ ...still, isListed: false });
    expect(waiting).toMatchObject({ reason: 'NotYetObserved', isSilent: true });
    expect(waiting.action).toBeUndefined();
    expect(reported({ isListed: false, hosts: [host()] })).toBe('NotYetObserved');
  });
  it('takes no host while a rename for an earlier machine of its name may be on its way', () => {
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const now = Date.UTC(2026, 0, 1, 0, 2);
    const claimed = (over: object) => host({ spec: { claim: former, used: true, ...over } });
    const soon = (...hosts: readonly MacHostObject[]): string =>
      reported({ machine: machine({}, { creationTimestamp }), hosts: [...hosts, host({}, 'h2')], now });
    expect(soon(claimed({}))).toBe('Adopting');
    expect(soon(claimed({ claim: another }))).toBe('Adopting intend');
    expect(soon()).toBe('Adopting intend');
    const later = { creationTimestamp: '2025-12-31T23:58:00Z' };
    expect(reported({ machine: machine({}, later), hosts: [claimed({}), host({}, 'h2')], now })).toBe(
      'Adopting intend',
    );
  });
  it('that was made to forget its host means that one again, and no other', () => {
    const own = host({ spec: { claim, used: true } }, 'h2');
    expect(decide({ ...still, hosts: [host(), own] }).action).toEqual({ kind: 'intend', hostId: 'h2' });
    const aside = { ...own, spec: { ...own.spec, hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } } };
    expect(reported({ hosts: [host(), aside] })).toBe('Quarantined');
    const given = { policy: 'pool', orderedBy: 'person', orderedAt: '2026-01-01T00:00:00Z' } as const;
    const released = { ...own, spec: { ...own.spec, release: given } };
    expect(decide({ ...still, hosts: [host(), released] }).action).toEqual({ kind: 'intend', hostId: 'h1' });
  });
  it('without a prefix anywhere looks at none', () =>
    expect(reported({ hosts: [host()], defaultPoolPrefix: '' })).toBe('NoAdoptPoolPrefix'));
  it.for(['paused', 'not-ready'] as const)('below a Cluster that is %s takes none', (gate) =>
    expect(reported({ hosts: [host()], gate })).not.toContain('intend'),
  );
  it.for(['paused', 'not-ready'] as const)('below a Cluster that is %s looks again', (gate) =>
    expect(decide({ ...still, gate }).lookAgainMs).toBe(5000),
  );
  it('that is paused takes none', () =>
    expect(
      reported({ machine: machine({}, { annotations: { [annotations.paused.key]: '' } }), hosts: [host()] }),
    ).toBe('Paused'));
});

describe('a machine that means a host', () => {
  const given = (over: Partial<MacHostObject>, status: MachineObject['status'] = {}): string =>
    reported({ machine: machine({ status }, meant), host: host(over), hosts: [host(over), host({}, 'h2')] });
  const named = { ...free, name: 'runners-1' };

  it('claims it while it is free', () => expect(given({})).toBe('Adopting claim'));
  it('means another when it was taken', () =>
    expect(given({ spec: { claim: another } })).toBe('Adopting intend'));
  it('takes no other while an order that somebody wrote over its claim stands', () => {
    const release = {
      policy: 'pool' as const,
      orderedBy: 'person: tidying up',
      orderedAt: '2026-01-01T00:00:00Z',
    };
    expect(given({ spec: { lastOwner: claim, release } })).toBe('Adopting');
    expect(given({ spec: { lastOwner: another, release } })).toBe('Adopting intend');
    expect(given({ spec: { lastOwner: claim } })).toBe('Adopting claim');
  });
  it('takes no other while a rename sent before the MacHost was lost may be on its way', () => {
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { name: 'h1', uid: 'uid-h1', resourceVersion: '1', creationTimestamp };
    const again = host({ spec: { used: true }, metadata });
    const after = (minutes: number): string =>
      reported({
        machine: machine({}, meant),
        host: again,
        hosts: [again, host({}, 'h2')],
        now: Date.UTC(2026, 0, 1, 0, minutes),
      });
    expect([after(2), after(4)]).toEqual(['Adopting', 'Adopting intend']);
  });
  it('waits for its name', () => expect(given({ spec: { claim, used: true } })).toBe('Adopting'));
  it('writes down what it has, once it is named', () =>
    expect(given({ spec: { claim, used: true }, status: { observed: named } })).toBe('Adopting record'));
  it('rests when all is written', () => {
    const status = { serverID: 'h1', ready: true, addresses: [{ type: 'ExternalIP', address: '192.0.2.1' }] };
    const served = { ...spec, providerID: 'scw-applesilicon://fr-par-1/h1' };
    const observed = {
      machine: machine({ status, spec: served }, meant),
      host: host({ spec: { claim, used: true }, status: { observed: named } }),
    };
    expect(reported(observed)).toBe('Provisioned');
    const moved = host({ spec: { claim, used: true }, status: { observed: { ...named, ip: '192.0.2.9' } } });
    expect(reported({ ...observed, host: moved })).toBe('Adopting record');
  });
  it('that was served takes its host back after the claim was lost', () =>
    expect(given({ spec: { used: true } }, { serverID: 'h1' })).toBe('Adopting claim'));
  it('that was served does not take it from another', () =>
    expect(given({ spec: { claim: another } }, { serverID: 'h1' })).toBe('ScalewayAdoptFailed'));
  it('that was served takes it back from a machine that does not exist, if the server has its name', () => {
    const own = host({ spec: { claim: another, used: true }, status: { observed: named } });
    const speakers = ownershipOf(recordOf(own), []);
    const served = machine({ status: { serverID: 'h1' } }, meant);
    const standing = {
      machine: served,
      host: own,
      hosts: [own],
      named: [{ host: own, ownership: speakers }],
    };
    expect(reported(standing)).toBe('Adopting claim');
    const live = { ...speakers, claimant: 'live' as const };
    expect(reported({ ...standing, named: [{ host: own, ownership: live }] })).toBe('ScalewayAdoptFailed');
  });
  it('that was served takes it back from itself as it was before it was restored', () => {
    expect(given({ spec: { claim: former, used: true } }, { serverID: 'h1' })).toBe('Adopting claim');
    expect(given({ spec: { claim: former, used: true } })).toBe('Adopting intend');
    const elsewhere = { ...former, namespace: 'other' };
    expect(given({ spec: { claim: elsewhere } }, { serverID: 'h1' })).toBe('ScalewayAdoptFailed');
  });
  it('that has another one already does not take it too', () => {
    expect(given({}, { serverID: 'h2' })).toBe('ScalewayAdoptFailed');
    expect(given({ spec: { claim, used: true } }, { serverID: 'h2' })).toBe('Adopting');
  });
  it('that was served takes nothing back that other machines say they have', () =>
    expect(
      reported({
        machine: machine({ status: { serverID: 'h1' } }, meant),
        host: host({ spec: { used: true } }),
        isShared: true,
        isServingOthers: true,
      }),
    ).toBe('ScalewayAdoptFailed'));
  it('that was served takes nothing back that is called like somebody else', () =>
    expect(
      given({ spec: { used: true }, status: { observed: { ...free, name: 'web-1' } } }, { serverID: 'h1' }),
    ).toBe('ScalewayAdoptFailed'));
  it('that was served does not take back what a person keeps aside', () =>
    expect(
      given({ spec: { hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } } }, { serverID: 'h1' }),
    ).toBe('ScalewayAdoptFailed'));
  it('whose server is gone says so', () =>
    expect(
      given({ spec: { claim }, status: { observed: { ...named, status: 'gone' } } }, { serverID: 'h1' }),
    ).toBe('HostGone'));
  it('that was served takes no other while the object of its host is missing', () =>
    expect(
      reported({ machine: machine({ status: { serverID: 'h1' } }, meant), hosts: [host({}, 'h2')] }),
    ).toBe('HostGone'));
});

describe('a machine whose status was lost', () => {
  const served = { ...spec, providerID: 'scw-applesilicon://fr-par-1/h1' };
  const used = (name?: string) =>
    host({ spec: { used: true }, status: { observed: { ...free, ...(name !== undefined && { name }) } } });
  const hosts = [host({}, 'h2')];
  const given = (over: Partial<Observed>, more: object = meant): string =>
    reported({ machine: machine({ spec: served }, more), hosts, ...over });

  it('says again what served it, also when it leaves', () => {
    const forgotten = used('runners-1');
    expect(given({ host: forgotten, forgotten })).toBe('Adopting recall');
    expect(given({ host: forgotten, forgotten }, leaving)).toBe('Adopting recall');
    expect(given({ forgotten }, { finalizers: meant.finalizers })).toBe('Adopting recall');
  });
  it('waits as long as nobody knows what became of that', () => {
    expect(given({ isListed: false })).toBe('NotYetObserved');
    expect(given({})).toBe('HostGone');
    expect(given({ forgotten: host({ status: {} }) })).toBe('NotYetObserved');
    expect(given({}, leaving)).toBe('Releasing let-go');
  });
  it('takes no word of a server that went before its name was seen', () => {
    const forgotten = host({ status: { observed: { status: 'gone' } } });
    expect(given({ forgotten })).toBe('Adopting intend');
    expect(given({ forgotten }, leaving)).toBe('Releasing let-go');
  });
  it('takes another where the server is called like somebody else', () => {
    expect(given({ forgotten: used('web-1') })).toBe('Adopting intend');
    expect(given({ forgotten: used() })).toBe('Adopting intend');
  });
  it('keeps one that it has turned to and got', () => {
    const turned = host({ spec: { claim, used: true } }, 'h3');
    expect(given({ host: turned, forgotten: used('runners-1') })).toBe('Adopting');
  });
  it('takes another once a person calls its server gone', () => {
    const called = { ...meant.annotations, [annotations.hostGone.key]: 'h1' };
    expect(given({}, { ...meant, annotations: called })).toBe('Adopting intend');
  });
  it.for(['', 'scw-applesilicon://fr-par-1', 'scw-applesilicon://fr-par-1/', 'aws:///x/h1', 'h1'])(
    'is a new one where its providerID is %j',
    (providerID) =>
      expect(reported({ machine: machine({ spec: { ...spec, providerID } }), hosts })).toBe(
        'Adopting intend',
      ),
  );
});

describe('a machine that leaves', () => {
  const given = (over: Partial<MacHostObject> | undefined, more: object = leaving): string =>
    reported({
      machine: machine({ status: { serverID: 'h1' } }, more),
      ...(over !== undefined && { host: host(over) }),
    });
  const orderedAt = '2026-01-01T00:00:00Z';
  const ofPerson = { policy: 'pool', orderedBy: 'person', orderedAt } as const;
  const order = { ...ofPerson, orderedBy: 'machine', machineUid: 'u1' } as const;

  it('gives its host back, also when it is paused', () => {
    const paused = { ...leaving, annotations: { ...leaving.annotations, [annotations.paused.key]: '' } };
    expect(given({ spec: { claim } }, paused)).toBe('Releasing give-up pool');
  });
  it('is let go once the order stands', () =>
    expect(given({ spec: { claim, release: order } })).toBe('Released let-go'));
  it('writes over what others ordered while it had the host, unless it was detached from it', () => {
    const had = { status: { serverID: 'h1' } };
    const left = (of: object) => reported({ machine: machine(had, leaving), host: host({ spec: of }) });
    expect(left({ claim, release: ofPerson })).toBe('Releasing give-up pool');
    expect(left({ claim, release: { ...order, machineUid: 'other' } })).toBe('Releasing give-up pool');
    expect(left({ used: true, release: ofPerson })).toBe('Releasing give-up pool');
    expect(left({ used: true, release: { ...order, machineUid: 'other' } })).toBe('Deleting let-go');
    const detached = machine({}, { ...leaving, annotations: {} });
    expect(reported({ machine: detached, host: host({ spec: { claim, release: ofPerson } }) })).toBe(
      'Deleting let-go',
    );
  });
  it('says that it waits while there is no object for its host', () =>
    expect(given(undefined)).toBe('Releasing let-go'));
  it('gives back what it claimed before it was restored', () =>
    expect(given({ spec: { claim: former, used: true } })).toBe('Releasing give-up pool'));
  it('leaves the host of another alone', () =>
    expect(given({ spec: { claim: another } })).toBe('Deleting let-go'));
  it('leaves a host that other machines say they have to them', () => {
    const observed = { machine: machine({ status: { serverID: 'h1' } }, leaving), isShared: true };
    expect(reported({ ...observed, host: host({ spec: { claim } }) })).toBe('SharedHost give-up others');
    expect(reported({ ...observed, host: host({ spec: { used: true } }) })).toBe('Deleting let-go');
  });
  it('ends the rent where that is the policy', () => {
    const policy = {
      ...leaving,
      annotations: { ...leaving.annotations, [annotations.releasePolicy.key]: 'terminate' },
    };
    expect(given({ spec: { claim } }, policy)).toBe('Deleting give-up terminate');
  });
  it('without a pool to give it back to leaves it running, and says so', () =>
    expect(
      reported({ machine: machine({}, leaving), host: host({ spec: { claim } }), defaultPoolPrefix: '' }),
    ).toBe('ReleaseSkipped give-up skip'));
  it('is let go once it is written down that its host was left running', () => {
    const own = { observed: { ...free, name: 'runners-1' } };
    const skipped = host({ spec: { used: true }, status: own });
    const marks = { [annotations.releaseSkipped.key]: 'u1 2026-01-01T00:00:00Z' };
    const left = { ...skipped, metadata: { ...skipped.metadata, annotations: marks } };
    const observed = { machine: machine({ status: { serverID: 'h1' } }, leaving), defaultPoolPrefix: '' };
    expect(reported({ ...observed, host: left })).toBe('Deleting let-go');
    expect(reported({ ...observed, host: skipped })).toBe('ReleaseSkipped give-up skip');
  });
  it('leaves a host as it is that it only says it had, and that is called like somebody else', () => {
    const said = { machine: machine({ status: { serverID: 'h1' } }, leaving) };
    const called = (name: string) => host({ status: { observed: { ...free, name } } });
    expect(reported({ ...said, host: called('web-1'), isNamedByPerson: true })).toBe(
      'NamedByPerson give-up person',
    );
    expect(reported({ ...said, host: called('runners-2') })).toBe('ReleaseSkipped give-up skip');
    for (const name of ['runners-1', 'pool-1', 'tuist-claim-pending-1'])
      expect(reported({ ...said, host: called(name) })).toBe('Releasing give-up pool');
    expect(reported({ ...said, host: called('any-h1') })).toBe('ReleaseSkipped give-up skip');
    const offered = host({ status: { poolPrefix: 'any-', observed: { ...free, name: 'any-h1' } } });
    expect(reported({ ...said, host: offered })).toBe('Releasing give-up pool');
  });
  it('with a pool prefix that is refused gives its host to the pool of the manager, if there is one', () => {
    const refused = machine({ spec: { ...spec, adoptPoolPrefix: 'r' } }, leaving);
    const held = { machine: refused, host: host({ spec: { claim } }) };
    expect(decide({ ...still, ...held }).action).toMatchObject({ release: { poolPrefix: 'pool-' } });
    expect(reported({ ...held, defaultPoolPrefix: '' })).toBe('ReleaseSkipped give-up skip');
  });
  it('without our finalizer is none of our business', () =>
    expect(given({ spec: { claim } }, { ...leaving, finalizers: [] })).toBe('Deleting'));
});
