/** Events of a host are sent when the state changes, not while the state lasts. */
import { describe, expect, it } from 'vitest';
import { hostId, HostHarness } from '../../../lab/harness/host-harness.ts';
import { macHosts } from '../state/objects.ts';
import { timeText } from '../../platform/time-text.ts';
import { subjectOf } from '../../kube/reconciler/event-draft.ts';
import { eventsFor, statusPatch } from './status.ts';

const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };
const order = { orderedBy: 'machine', orderedAt: '2026-01-01T00:00:00Z' };
const toPool = { policy: 'pool', poolPrefix: 'pool-', ...order };

/** The Events of three visits: a host at rest, after the provider has changed its status, and once more. */
async function saidOf(harness: HostHarness, seen: object): Promise<readonly (readonly string[])[]> {
  const said: (readonly string[])[] = [];
  for (const observed of [{}, seen, seen]) {
    harness.changeHost({ status: { observed } }, '/status');
    const host = await harness.storedHost();
    const given = { now: harness.now(), host, view: harness.viewOf() };
    const events = eventsFor(given, subjectOf(macHosts, host), { results: [] });
    said.push(events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`));
    harness.changeHost({ status: statusPatch(given, undefined) ?? {} }, '/status');
  }
  return said;
}

it.for([
  ['free', 'error', {}],
  ['free', 'interrupted', {}],
  ['being released', 'locked', { claim, used: true, release: toPool }],
] as const)('a %s host that breaks sends one Event: %s', async ([, status, spec]) => {
  const harness = new HostHarness();
  await harness.host(spec);
  const [before, then, later] = await saidOf(harness, { status });
  expect([before, later]).toEqual([[], []]);
  expect(then).toEqual([
    `Warning Broken: the provider shows the server as ${status}: Muster does nothing with the host until that ends, and the rent goes on; ask the provider for the cause, or end the rent once no machine has the host: muster terminate ${hostId}`,
  ]);
});

it('a broken host sends no Event while its rent ends, nor when its server is gone', async () => {
  const harness = new HostHarness();
  await harness.host({ claim, used: true, release: { policy: 'terminate', ...order } });
  expect((await saidOf(harness, { status: 'error' })).flat()).toEqual([]);
  expect((await saidOf(harness, { status: 'gone' })).flat()).toEqual([]);
});

describe('the pool name of the server since its wipe began', () => {
  const wipe = { order: order.orderedAt, askedAt: order.orderedAt, startedAt: order.orderedAt };

  it.for([
    ['is recorded', 'pool-1', wipe, true],
    ['is not recorded for another name', 'runners-1', wipe, false],
    ['is not recorded before the wipe began', 'pool-1', { ...wipe, startedAt: undefined }, false],
    ['is not recorded for the wipe of an earlier order', 'pool-1', { ...wipe, order: 'another' }, false],
    ['is recorded once', 'pool-1', { ...wipe, parkedAt: order.orderedAt }, false],
  ] as const)('%s', async ([, name, given, expected]) => {
    const harness = new HostHarness();
    harness.server = { ...harness.server, name };
    const host = await harness.host({ claim, used: true, release: toPool }, { wipe: given });
    const patch = statusPatch({ now: harness.now(), host, view: harness.viewOf() }, undefined);
    expect(patch?.wipe).toEqual(expected ? { parkedAt: timeText(harness.now()) } : undefined);
  });
});
