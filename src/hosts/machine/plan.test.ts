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
/** The earlier uid, before a restore from a backup. */
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
  clusterReadiness: 'ready',
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
  it('waits while an older namesake exists', () =>
    expect(reported({ namesake: 'other/runners-1', hosts: [host()] })).toBe('NameTaken'));
  it('whose name is too long for its Secret takes no host', () =>
    expect(reported({ machine: machine({}, { name: 'n'.repeat(244) }), hosts: [host()] })).toBe(
      'NameTooLong',
    ));
  it('names a host first', () => expect(reported({ hosts: [host()] })).toBe('Adopting intend'));
  it('waits while no host is free', () =>
    expect(reported({ hosts: [host({ spec: { used: true } })] })).toBe('NoAvailableHost'));
  it('takes no host before the zone was listed, because a server without a MacHost may carry its name', () => {
    const waiting = decide({ ...still, isListed: false });
    expect(waiting).toMatchObject({ reason: 'NotYetObserved', isSilent: true });
    expect(waiting.action).toBeUndefined();
    expect(reported({ isListed: false, hosts: [host()] })).toBe('NotYetObserved');
  });
  it('takes no host while a rename for an earlier namesake may arrive', () => {
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
  it('that lost its record names the same host again', () => {
    const own = host({ spec: { claim, used: true } }, 'h2');
    expect(decide({ ...still, hosts: [host(), own] }).action).toEqual({ kind: 'intend', hostId: 'h2' });
    const aside = { ...own, spec: { ...own.spec, hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } } };
    expect(reported({ hosts: [host(), aside] })).toBe('Quarantined');
    const given = { policy: 'pool', orderedBy: 'person', orderedAt: '2026-01-01T00:00:00Z' } as const;
    const released = { ...own, spec: { ...own.spec, release: given } };
    expect(decide({ ...still, hosts: [host(), released] }).action).toEqual({ kind: 'intend', hostId: 'h1' });
  });
  it('without any prefix considers no host', () =>
    expect(reported({ hosts: [host()], defaultPoolPrefix: '' })).toBe('NoAdoptPoolPrefix'));
  it.for(['paused', 'not-ready'] as const)('under a Cluster that is %s takes no host', (clusterReadiness) =>
    expect(reported({ hosts: [host()], clusterReadiness })).not.toContain('intend'),
  );
  it.for(['paused', 'not-ready'] as const)('under a Cluster that is %s is polled', (clusterReadiness) =>
    expect(decide({ ...still, clusterReadiness }).lookAgainMs).toBe(5000),
  );
  it('that is paused takes no host', () =>
    expect(
      reported({ machine: machine({}, { annotations: { [annotations.paused.key]: '' } }), hosts: [host()] }),
    ).toBe('Paused'));
});

describe('a machine that names a host', () => {
  const given = (over: Partial<MacHostObject>, status: MachineObject['status'] = {}): string =>
    reported({ machine: machine({ status }, meant), host: host(over), hosts: [host(over), host({}, 'h2')] });
  const named = { ...free, name: 'runners-1' };

  it('claims the host while it is free', () => expect(given({})).toBe('Adopting claim'));
  it('names another host when the first was taken', () =>
    expect(given({ spec: { claim: another } })).toBe('Adopting intend'));
  it('takes no other host while an order replaces its claim', () => {
    const release = {
      policy: 'pool' as const,
      orderedBy: 'person: tidying up',
      orderedAt: '2026-01-01T00:00:00Z',
    };
    expect(given({ spec: { lastOwner: claim, release } })).toBe('Adopting');
    expect(given({ spec: { lastOwner: another, release } })).toBe('Adopting intend');
    expect(given({ spec: { lastOwner: claim } })).toBe('Adopting claim');
  });
  it('takes no other host while a rename sent before the MacHost was lost may arrive', () => {
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
  it('waits for the rename of its server', () =>
    expect(given({ spec: { claim, used: true } })).toBe('Adopting'));
  it('records its host once the server is renamed', () =>
    expect(given({ spec: { claim, used: true }, status: { observed: named } })).toBe(
      'Adopting publish-host',
    ));
  it('does nothing when the status is complete', () => {
    const status = { serverID: 'h1', ready: true, addresses: [{ type: 'ExternalIP', address: '192.0.2.1' }] };
    const served = { ...spec, providerID: 'scw-applesilicon://fr-par-1/h1' };
    const observed = {
      machine: machine({ status, spec: served }, meant),
      host: host({ spec: { claim, used: true }, status: { observed: named } }),
    };
    expect(reported(observed)).toBe('Provisioned');
    const moved = host({ spec: { claim, used: true }, status: { observed: { ...named, ip: '192.0.2.9' } } });
    expect(reported({ ...observed, host: moved })).toBe('Adopting publish-host');
  });
  it('that was bound takes its host back after the claim was lost', () =>
    expect(given({ spec: { used: true } }, { serverID: 'h1' })).toBe('Adopting claim'));
  it('that was bound does not take its host from another machine', () =>
    expect(given({ spec: { claim: another } }, { serverID: 'h1' })).toBe('ScalewayAdoptFailed'));
  it('that was bound takes its host back from a missing machine if the server has its name', () => {
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
  it('that was bound takes its host back from its own uid before a restore', () => {
    expect(given({ spec: { claim: former, used: true } }, { serverID: 'h1' })).toBe('Adopting claim');
    expect(given({ spec: { claim: former, used: true } })).toBe('Adopting intend');
    const elsewhere = { ...former, namespace: 'other' };
    expect(given({ spec: { claim: elsewhere } }, { serverID: 'h1' })).toBe('ScalewayAdoptFailed');
  });
  it('that has another host does not take a second', () => {
    expect(given({}, { serverID: 'h2' })).toBe('ScalewayAdoptFailed');
    expect(given({ spec: { claim, used: true } }, { serverID: 'h2' })).toBe('Adopting');
  });
  it('that was bound takes no host back to which others are bound', () =>
    expect(
      reported({
        machine: machine({ status: { serverID: 'h1' } }, meant),
        host: host({ spec: { used: true } }),
        isShared: true,
        isServingOthers: true,
      }),
    ).toBe('ScalewayAdoptFailed'));
  it('that was bound takes no host back under a foreign name', () =>
    expect(
      given({ spec: { used: true }, status: { observed: { ...free, name: 'web-1' } } }, { serverID: 'h1' }),
    ).toBe('ScalewayAdoptFailed'));
  it('that was bound does not take back a held host', () =>
    expect(
      given({ spec: { hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } } }, { serverID: 'h1' }),
    ).toBe('ScalewayAdoptFailed'));
  it('reports that its server is gone', () =>
    expect(
      given({ spec: { claim }, status: { observed: { ...named, status: 'gone' } } }, { serverID: 'h1' }),
    ).toBe('HostGone'));
  it('that was bound takes no other host while its MacHost is missing', () =>
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

  it('restores its server id, also while deleting', () => {
    const forgotten = used('runners-1');
    expect(given({ host: forgotten, forgotten })).toBe('Adopting restore-binding');
    expect(given({ host: forgotten, forgotten }, leaving)).toBe('Adopting restore-binding');
    expect(given({ forgotten }, { finalizers: meant.finalizers })).toBe('Adopting restore-binding');
  });
  it('waits while the state of that server is unknown', () => {
    expect(given({ isListed: false })).toBe('NotYetObserved');
    expect(given({})).toBe('HostGone');
    expect(given({ forgotten: host({ status: {} }) })).toBe('NotYetObserved');
    expect(given({}, leaving)).toBe('Releasing remove-finalizer');
  });
  it('ignores a server that was gone before its name was seen', () => {
    const forgotten = host({ status: { observed: { status: 'gone' } } });
    expect(given({ forgotten })).toBe('Adopting intend');
    expect(given({ forgotten }, leaving)).toBe('Releasing remove-finalizer');
  });
  it('takes another host where the server has a foreign name', () => {
    expect(given({ forgotten: used('web-1') })).toBe('Adopting intend');
    expect(given({ forgotten: used() })).toBe('Adopting intend');
  });
  it('keeps another host that it has claimed', () => {
    const turned = host({ spec: { claim, used: true } }, 'h3');
    expect(given({ host: turned, forgotten: used('runners-1') })).toBe('Adopting');
  });
  it('takes another host once an operator marks its server as gone', () => {
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

describe('a deleted machine', () => {
  const given = (over: Partial<MacHostObject> | undefined, more: object = leaving): string =>
    reported({
      machine: machine({ status: { serverID: 'h1' } }, more),
      ...(over !== undefined && { host: host(over) }),
    });
  const orderedAt = '2026-01-01T00:00:00Z';
  const ofPerson = { policy: 'pool', orderedBy: 'person', orderedAt } as const;
  const order = { ...ofPerson, orderedBy: 'machine', machineUid: 'u1' } as const;

  it('releases its host, also while paused', () => {
    const paused = { ...leaving, annotations: { ...leaving.annotations, [annotations.paused.key]: '' } };
    expect(given({ spec: { claim } }, paused)).toBe('Releasing give-up pool');
  });
  it('loses its finalizer once the order is stored', () =>
    expect(given({ spec: { claim, release: order } })).toBe('Released remove-finalizer'));
  it('overwrites orders of others on its host, unless it was detached', () => {
    const had = { status: { serverID: 'h1' } };
    const left = (of: object) => reported({ machine: machine(had, leaving), host: host({ spec: of }) });
    expect(left({ claim, release: ofPerson })).toBe('Releasing give-up pool');
    expect(left({ claim, release: { ...order, machineUid: 'other' } })).toBe('Releasing give-up pool');
    expect(left({ used: true, release: ofPerson })).toBe('Releasing give-up pool');
    expect(left({ used: true, release: { ...order, machineUid: 'other' } })).toBe(
      'Deleting remove-finalizer',
    );
    const detached = machine({}, { ...leaving, annotations: {} });
    expect(reported({ machine: detached, host: host({ spec: { claim, release: ofPerson } }) })).toBe(
      'Deleting remove-finalizer',
    );
  });
  it('reports that it waits while its MacHost is missing', () =>
    expect(given(undefined)).toBe('Releasing remove-finalizer'));
  it('releases the host that it claimed before a restore', () =>
    expect(given({ spec: { claim: former, used: true } })).toBe('Releasing give-up pool'));
  it('does not change the host of another machine', () =>
    expect(given({ spec: { claim: another } })).toBe('Deleting remove-finalizer'));
  it('leaves a host to other machines that are bound to it', () => {
    const observed = { machine: machine({ status: { serverID: 'h1' } }, leaving), isShared: true };
    expect(reported({ ...observed, host: host({ spec: { claim } }) })).toBe('SharedHost give-up others');
    expect(reported({ ...observed, host: host({ spec: { used: true } }) })).toBe('Deleting remove-finalizer');
  });
  it('ends the rent where that is the policy', () => {
    const policy = {
      ...leaving,
      annotations: { ...leaving.annotations, [annotations.releasePolicy.key]: 'terminate' },
    };
    expect(given({ spec: { claim } }, policy)).toBe('Deleting give-up terminate');
  });
  it('without a pool leaves its host running, and reports that', () =>
    expect(
      reported({ machine: machine({}, leaving), host: host({ spec: { claim } }), defaultPoolPrefix: '' }),
    ).toBe('ReleaseSkipped give-up skip'));
  it('loses its finalizer once the skipped release is recorded', () => {
    const own = { observed: { ...free, name: 'runners-1' } };
    const skipped = host({ spec: { used: true }, status: own });
    const marks = { [annotations.releaseSkipped.key]: 'u1 2026-01-01T00:00:00Z' };
    const left = { ...skipped, metadata: { ...skipped.metadata, annotations: marks } };
    const observed = { machine: machine({ status: { serverID: 'h1' } }, leaving), defaultPoolPrefix: '' };
    expect(reported({ ...observed, host: left })).toBe('Deleting remove-finalizer');
    expect(reported({ ...observed, host: skipped })).toBe('ReleaseSkipped give-up skip');
  });
  it('does not change a host without its claim and under a foreign name', () => {
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
  it('with an invalid pool prefix releases its host to the default pool, if any', () => {
    const refused = machine({ spec: { ...spec, adoptPoolPrefix: 'r' } }, leaving);
    const held = { machine: refused, host: host({ spec: { claim } }) };
    expect(decide({ ...still, ...held }).action).toMatchObject({ release: { poolPrefix: 'pool-' } });
    expect(reported({ ...held, defaultPoolPrefix: '' })).toBe('ReleaseSkipped give-up skip');
  });
  it('without our finalizer needs no action', () =>
    expect(given({ spec: { claim } }, { ...leaving, finalizers: [] })).toBe('Deleting'));
});
