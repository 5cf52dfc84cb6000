/** The commands that change one host: each guard, each kind of confirmation, and the written objects. */
import { beforeEach, describe, expect, it } from 'vitest';
import { finalizers } from '../../api/names/finalizers.ts';
import { FleetHarness, fieldsOf, idOf } from '../../../lab/harness/fleet-harness.ts';

const [pool, owned, lost, foreign] = [idOf('aaaa'), idOf('bbbb'), idOf('cccc'), idOf('ffff')];
const noWait = ['--timeout', '0s'] as const;
const toPool = ['--pool-prefix', 'tuist-pool-'] as const;

function fleet(): FleetHarness {
  const made = new FleetHarness().install();
  made.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
  const uid = made.machine('runners-1', {}, { status: { serverID: owned } });
  made.host(pool, {}, { state: 'Pooled', observed: { name: 'tuist-pool-1' } });
  const claim = { namespace: 'ci', name: 'runners-1', uid };
  made.host(owned, { claim, used: true }, { state: 'Owned', observed: { name: 'runners-1' } });
  const gone = { namespace: 'ci', name: 'runners-0', uid: 'gone' };
  made.host(lost, { claim: gone, used: true }, { state: 'Stranded', observed: { name: 'runners-0' } });
  made.host(foreign, {}, { state: 'Foreign', observed: { name: 'as-delivered' } });
  return made;
}

let harness = fleet();
beforeEach(() => void (harness = fleet()));

const writes = (): readonly string[] =>
  harness.transport.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);

describe('the confirmation', () => {
  it('changes nothing without a terminal and without --yes', async () => {
    const { status, err } = await harness.muster('quarantine', 'cccc0000', '--reason', 'slow');
    expect([status, err, writes()]).toEqual([
      1,
      'error: nothing was changed: there is no terminal for a confirmation; add --yes to do it\n',
      [],
    ]);
  });

  it.for([['n'], [''], [undefined], ['yep']])('changes nothing at the answer %j', async ([answer]) => {
    harness.answers = answer === undefined ? [] : [answer];
    const { status, err } = await harness.muster('quarantine', 'cccc0000', '--reason', 'slow');
    expect([status, err.trim(), writes()]).toEqual([
      1,
      'error: nothing was changed: you did not confirm',
      [],
    ]);
  });

  it('applies the plan at the answer y, after the plan was shown', async () => {
    harness.answers = ['y'];
    const { status, out } = await harness.muster('quarantine', 'cccc0000', '--reason', 'slow', ...noWait);
    expect([status, harness.questions]).toEqual([0, ['Do it? [y/N] ']]);
    expect(out).toMatchInlineSnapshot(`
      "host cccc0000-0000-4000-8000-000000000000 (server runners-0, M2-L in fr-par-1), Stranded
      Put the host on hold: slow
      not waited for: the manager keeps the host on hold; now: Stranded, -
      "
    `);
    expect(harness.specOf(lost)['hold']).toEqual({ reason: 'slow', since: '2026-11-03T12:00:00Z' });
  });

  it('does not apply a plan that became different before the confirmation', async () => {
    const outside = harness;
    harness.answers = ['y'];
    const shift = harness.answers.shift.bind(harness.answers);
    harness.answers.shift = () => {
      outside.patchHost(lost, { spec: { claim: { namespace: 'ci', name: 'runners-1', uid: ownUid() } } });
      return shift();
    };
    const { status, err } = await harness.muster('release', 'cccc0000', ...toPool);
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('machine ci/runners-1 has this host and is alive'),
    ]);
    expect(harness.specOf(lost)['release']).toBeUndefined();
  });

  it('shows the new plan and does not apply it', async () => {
    const outside = harness;
    harness.answers = ['y'];
    const shift = harness.answers.shift.bind(harness.answers);
    harness.answers.shift = () => {
      outside.patchHost(lost, { status: { observed: { name: 'tuist-pool-9' } } }, 'status');
      return shift();
    };
    const { err } = await harness.muster('release', 'cccc0000', ...toPool);
    expect(err).toContain('the plan became different before you confirmed. The plan is now:\nhost cccc0000');
    expect(harness.specOf(lost)['release']).toBeUndefined();
  });

  it('does not release a host whose server a person renames meanwhile', async () => {
    const outside = harness;
    harness.answers = ['y'];
    const shift = harness.answers.shift.bind(harness.answers);
    harness.answers.shift = () => {
      outside.patchHost(lost, { status: { observed: { name: 'renamed' } } }, 'status');
      return shift();
    };
    const { status, err } = await harness.muster('release', 'cccc0000', ...toPool);
    expect([status, err, harness.specOf(lost)['release']]).toEqual([
      1,
      'error: a person named the server renamed; to overrule: --force --reason TEXT\n',
      undefined,
    ]);
  });

  it('reads again after a conflict at the write, and then writes', async () => {
    let isFirst = true;
    harness.transport.trouble = ({ method }) => {
      if (method === 'PATCH' && isFirst) {
        isFirst = false;
        harness.patchHost(lost, { status: { installEpoch: 9 } }, 'status');
      }
      return undefined;
    };
    const { status } = await harness.muster('quarantine', 'cccc0000', '--reason', 'slow', '--yes', ...noWait);
    expect([status, writes()]).toEqual([0, ['PATCH', 'PATCH']]);
  });
});

function ownUid(): string {
  return String(fieldsOf(harness.specOf(owned)['claim'])['uid']);
}

describe('waiting', () => {
  it('ends when the manager has acted', async () => {
    harness.manager = () =>
      void harness.patchHost(lost, { status: { state: 'Quarantined', reason: 'Quarantined' } }, 'status');
    const { status, out, err } = await harness.muster('quarantine', 'cccc0000', '--reason', 'slow', '--yes');
    expect([status, err]).toEqual([0, 'waiting for: the manager keeps the host on hold; now: Stranded, -\n']);
    expect(out).toContain('seen: the manager keeps the host on hold: Quarantined, Quarantined\n');
  });

  it('exits with 1 when no manager acts, and says that the order is stored', async () => {
    const { status, err } = await harness.muster(
      'quarantine',
      'cccc0000',
      '--reason',
      'slow',
      '--yes',
      '--timeout',
      '5s',
    );
    expect(status).toBe(1);
    expect(err).toContain(
      'error: not seen in time: the manager keeps the host on hold; now: Stranded, -. The order is stored. Check later: muster why host/cccc0000',
    );
    expect(harness.specOf(lost)['hold']).toBeDefined();
  });

  it('tolerates a failed read', async () => {
    let lostReads = 0;
    harness.manager = () => {
      harness.transport.trouble = () => {
        lostReads += 1;
        return lostReads === 1 ? 'lost' : undefined;
      };
      if (lostReads > 0) harness.patchHost(lost, { status: { state: 'Quarantined' } }, 'status');
    };
    const { status, err } = await harness.muster('quarantine', 'cccc0000', '--reason', 'slow', '--yes');
    expect([status, err]).toEqual([0, expect.stringContaining('now: the read failed (AnswerLost)')]);
  });
});

describe('muster quarantine', () => {
  it('is refused for a host with a live machine, unless --with-owner is given', async () => {
    const order = ['quarantine', 'bbbb0000', '--reason', 'slow', '--yes', ...noWait] as const;
    const { status, err } = await harness.muster(...order);
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('machine ci/runners-1 has this host; add --with-owner'),
    ]);
    expect(harness.specOf(owned)['hold']).toBeUndefined();
    expect((await harness.muster(...order, '--with-owner')).status).toBe(0);
    expect(harness.specOf(owned)['hold']).toBeDefined();
  });

  it('accepts the name of the machine that has the host', async () => {
    harness.patchHost(lost, { status: { observed: { name: 'tuist-pool-9' } } }, 'status');
    const { status } = await harness.muster('quarantine', 'runners-0', '--reason', 'x', '--yes', ...noWait);
    expect([status, harness.specOf(lost)['hold']]).toMatchObject([0, { reason: 'x' }]);
  });

  it('a second reason does not silently replace the first', async () => {
    await harness.muster('quarantine', 'cccc0000', '--reason', 'slow', '--yes', ...noWait);
    const again = await harness.muster('quarantine', 'cccc0000', '--reason', 'slow', '--yes', ...noWait);
    expect([again.status, again.out]).toEqual([
      0,
      expect.stringContaining('The host is on hold already: slow'),
    ]);
    const other = await harness.muster('quarantine', 'cccc0000', '--reason', 'loud', '--yes', ...noWait);
    expect([other.status, other.err]).toEqual([1, expect.stringContaining('the host is on hold since')]);
    expect(writes()).toEqual(['PATCH']);
  });

  it.for(['', '  ', 'two\nlines'])('the reason %j is wrong usage', async (reason) => {
    expect((await harness.muster('quarantine', 'cccc0000', '--reason', reason, '--yes')).status).toBe(64);
  });

  it('unquarantine lifts the hold, and says what the manager will do then', async () => {
    await harness.muster('quarantine', 'cccc0000', '--reason', 'slow', '--yes', ...noWait);
    const release = {
      policy: 'pool',
      poolPrefix: 'x-',
      orderedBy: 'sweep',
      orderedAt: '2026-11-03T11:59:00Z',
    };
    harness.patchHost(lost, { spec: { release } });
    const { status, out } = await harness.muster('unquarantine', 'cccc0000', '--yes', ...noWait);
    expect([status, out]).toEqual([0, expect.stringContaining('The manager will then request a wipe.')]);
    expect(harness.specOf(lost)['hold']).toBeUndefined();
    expect((await harness.muster('unquarantine', 'cccc0000')).out).toContain('The host is not on hold.');
  });
});

describe('muster unquarantine', () => {
  const names = ['--claim-prefix', 'runners-', '--default-adopt-pool-prefix', 'tuist-pool-'] as const;
  it.for([
    [lost, [], 'A manager with --orphan-reclaim-claim-name-prefix may then wipe the host'],
    [lost, names, 'The manager may then wipe the host and offer it again'],
    [pool, [], 'A machine that needs such a host may then take it.'],
    [foreign, [], 'depends on the name prefixes: give --claim-prefix'],
    [foreign, names, 'The manager will do nothing to the host.'],
  ] as const)('of %s with %j says what follows, as far as that is known', async ([id, more, said]) => {
    harness.patchHost(id, { spec: { hold: { reason: 'x', since: '2026-11-03T11:00:00Z' } } });
    expect((await harness.muster('unquarantine', id, ...more, '--yes', ...noWait)).out).toContain(said);
  });

  it('says what is lost with a deleted MacHost, and so do why and plan', async () => {
    const hold = { reason: 'x', since: '2026-11-03T11:00:00Z' };
    harness.patchHost(lost, { metadata: { finalizers: [finalizers.hold.key] }, spec: { hold } });
    harness.deleteHost(lost);
    const said = expect.stringContaining('its MacHost was deleted');
    for (const command of [
      ['why', 'host/cccc0000'],
      ['plan'],
      ['unquarantine', 'cccc0000', '--yes', ...noWait],
    ])
      expect((await harness.muster(...command)).out.replaceAll(/\s+/g, ' ')).toEqual(said);
  });
});

describe('muster release', () => {
  it('orders a stranded host into the pool, and writes an Event', async () => {
    const { status, out } = await harness.muster('release', 'runners-0', '--yes', ...toPool, ...noWait);
    expect(status).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "host cccc0000-0000-4000-8000-000000000000 (server runners-0, M2-L in fr-par-1), Stranded
      Wipe the host and offer it again as tuist-pool-…
      not waited for: the manager returns the host to the pool; now: Stranded, -
      "
    `);
    expect(harness.specOf(lost)['release']).toEqual({
      policy: 'pool',
      poolPrefix: 'tuist-pool-',
      orderedBy: 'person',
      orderedAt: '2026-11-03T12:00:00Z',
      serverName: 'runners-0',
    });
    expect(harness.get('/api/v1/namespaces/default/events')).toMatchObject({
      items: [{ reason: 'Releasing', involvedObject: { kind: 'MacHost', name: lost } }],
    });
  });

  it.for([[[]], [['--force', '--reason', 'I know']]] as const)(
    'is refused for a host with a live machine, with %j',
    async ([more]) => {
      const { status, err } = await harness.muster('release', 'bbbb0000', '--yes', ...toPool, ...more);
      expect([status, err]).toEqual([1, expect.stringContaining('muster detach ci/runners-1')]);
      expect(writes()).toEqual([]);
    },
  );

  it('counts a live machine that only names the host in its status as an owner', async () => {
    harness.patchMachine('runners-1', { status: { serverID: lost } }, 'status');
    const { err } = await harness.muster(
      'release',
      'cccc0000',
      '--yes',
      '--force',
      '--reason',
      'x',
      ...toPool,
    );
    expect([err, writes()]).toEqual([expect.stringContaining('machine ci/runners-1 has this host'), []]);
  });

  it.for([
    ['ffff0000', 'the host may belong to another cluster'],
    ['aaaa0000', 'the host is free already'],
  ] as const)('doubt about %s has to be overruled: %s', async ([host, doubt]) => {
    const order = ['release', host, '--yes', ...toPool, ...noWait] as const;
    expect((await harness.muster(...order)).err).toContain(`${doubt}; to overrule: --force --reason TEXT`);
    expect(writes()).toEqual([]);
    const { status, out } = await harness.muster(...order, '--force', '--reason', 'ticket 5');
    expect([status, out]).toEqual([0, expect.stringContaining(`Overruled: `)]);
    expect(harness.specOf(idOf(host.slice(0, 4)))['release']).toMatchObject({
      orderedBy:
        'person: ticket 5 (forced; claim: none; machines that speak for it: none; other machines called like the server: none)',
    });
  });

  it('a machine that is called like the server, and one that is being deleted, are doubts', async () => {
    harness.machine('runners-0');
    const order = ['release', 'cccc0000', '--yes', ...toPool, ...noWait] as const;
    expect((await harness.muster(...order)).err).toContain('machine ci/runners-0 is called like the server');
    harness.deleteMachine('runners-1');
    const leaving = await harness.muster('release', 'bbbb0000', '--yes', ...toPool, ...noWait);
    expect(leaving.err).toContain('machine ci/runners-1 is being deleted and releases the host by itself');
    expect(writes()).toEqual([]);
    const { out } = await harness.muster(...order, '--force', '--reason', 'same name by chance');
    expect(out).toContain('Evidence: machines that speak for it: ci/runners-0 (alive) by name');
    expect(JSON.stringify(harness.get('/api/v1/namespaces/default/events'))).toContain(
      'ci/runners-0 (alive)',
    );
  });

  it('--force without a reason is wrong usage', async () => {
    const { status, err } = await harness.muster('release', 'cccc0000', '--force', '--yes', ...toPool);
    expect([status, err]).toEqual([64, expect.stringContaining('--force needs --reason TEXT')]);
  });

  it.for([
    [{ spec: { hold: { reason: 'slow', since: '2026-11-03T11:00:00Z' } } }, undefined, 'lift the hold first'],
    [{ status: { observed: { status: 'gone' } } }, 'status', 'nothing to release'],
    [{ status: { observed: { deletionScheduled: true } } }, 'status', 'already ends the rent'],
  ] as const)('%j is refused', async ([change, subresource, why]) => {
    harness.patchHost(lost, change, subresource);
    const { status, err } = await harness.muster('release', 'cccc0000', '--yes', ...toPool);
    expect([status, err, writes()]).toEqual([1, expect.stringContaining(why), []]);
  });

  it.for([
    [[], 'the pool of the host is not known'],
    [['--pool-prefix', ''], 'the pool of the host is not known'],
    [['--pool-prefix', 'tuist-claim-pending-'], 'a pool prefix may not start with'],
  ] as const)('the pool %j is refused', async ([prefix, why]) => {
    const { status, err } = await harness.muster('release', 'cccc0000', '--yes', ...prefix);
    expect([status, err, writes()]).toEqual([1, expect.stringContaining(why), []]);
  });

  it('recognizes a completed order by its removal and the counted wipe', async () => {
    harness.manager = () => {
      harness.patchHost(lost, { spec: { release: null, claim: null, used: null } });
      harness.patchHost(lost, { status: { installEpoch: 2, state: 'Pooled', reason: 'Pooled' } }, 'status');
    };
    const { status, out } = await harness.muster('release', 'cccc0000', ...toPool, '--yes');
    expect([status, out]).toEqual([0, expect.stringContaining('seen: ')]);
  });

  it('reports when the deleted machine wrote another order', async () => {
    const own = { policy: 'terminate', poolPrefix: null, orderedBy: 'machine', machineUid: 'gone' };
    harness.manager = () => void harness.patchHost(lost, { spec: { release: own } });
    const { status, err } = await harness.muster('release', 'cccc0000', ...toPool, '--yes');
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('wrote its own order, which counts: terminate'),
    ]);
  });

  it('reports when the manager dropped the order', async () => {
    harness.manager = () => void harness.patchHost(lost, { spec: { release: null } });
    const { status, err } = await harness.muster('release', 'cccc0000', ...toPool, '--yes');
    expect([status, err]).toEqual([1, expect.stringContaining('error: the manager dropped the order')]);
  });

  it('does not order twice', async () => {
    await harness.muster('release', 'cccc0000', '--yes', ...toPool, ...noWait);
    const before = writes().length;
    const { status, out } = await harness.muster('release', 'cccc0000', '--yes', ...toPool, ...noWait);
    expect([status, out, writes().length]).toEqual([
      0,
      expect.stringContaining('This is ordered already: pool'),
      before,
    ]);
  });

  it('warns when the Event cannot be written: the order is stored', async () => {
    harness.transport.trouble = ({ method }) => (method === 'POST' ? forbidden : undefined);
    const { status, err } = await harness.muster('release', 'cccc0000', '--yes', ...toPool, ...noWait);
    expect([status, err]).toEqual([
      0,
      'warning: the order is stored, but failed to write an Event: you may not do this: your role lacks the verb "create" on the resource "events"\n',
    ]);
    expect(harness.specOf(lost)['release']).toBeDefined();
  });
});

const forbidden = { status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'no' } };

describe('muster terminate', () => {
  const order = ['terminate', 'aaaa0000', '--reason', 'too many', ...noWait] as const;

  it('says which rent remains, and asks for the name of the server', async () => {
    harness.patchHost(pool, { status: { observed: { deletableAt: '2026-11-03T17:30:00Z' } } }, 'status');
    harness.answers = ['y'];
    expect((await harness.muster(...order)).err).toContain('you did not confirm');
    harness.answers = ['tuist-pool-1'];
    const { status, out } = await harness.muster(...order);
    expect([status, harness.questions[1]]).toEqual([0, 'Type tuist-pool-1 to do it: ']);
    expect(out).toContain(
      'Its minimum rent ends at 2026-11-03T17:30:00Z: its rent is charged for another 6h, up to €0.66 in any case.',
    );
    expect(harness.specOf(pool)['release']).toMatchObject({
      policy: 'terminate',
      orderedBy: 'person: too many',
    });
  });

  it('replaces an order to the pool completely', async () => {
    await harness.muster('release', 'cccc0000', '--yes', ...toPool, ...noWait);
    const { out } = await harness.muster('terminate', 'cccc0000', '--reason', 'broken', '--yes', ...noWait);
    expect(out).toContain('This replaces the order pool, by person.');
    expect(harness.specOf(lost)['release']).toEqual({
      policy: 'terminate',
      orderedBy: 'person: broken',
      orderedAt: '2026-11-03T12:00:00Z',
      serverName: 'runners-0',
    });
  });

  it('replaces the order of a deleted machine, and is not mistaken for that order', async () => {
    const own = { policy: 'pool', poolPrefix: 'tuist-pool-', orderedBy: 'machine', machineUid: 'gone' };
    harness.patchHost(lost, { spec: { release: { ...own, orderedAt: '2026-11-03T11:00:00Z' } } });
    await harness.muster('terminate', 'cccc0000', '--reason', 'broken', '--yes', ...noWait);
    expect(harness.specOf(lost)['release']).toEqual({
      policy: 'terminate',
      orderedBy: 'person: broken',
      orderedAt: '2026-11-03T12:00:00Z',
      serverName: 'runners-0',
    });
  });

  it('is refused for a host with a live machine', async () => {
    const { err } = await harness.muster('terminate', 'bbbb0000', '--reason', 'x', '--yes', '--force');
    expect([err, writes()]).toEqual([expect.stringContaining('has this host and is alive'), []]);
  });

  it('without a reason is wrong usage', async () => {
    expect((await harness.muster('terminate', 'aaaa0000', '--yes')).status).toBe(64);
  });
});
