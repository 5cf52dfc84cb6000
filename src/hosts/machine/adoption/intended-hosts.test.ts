/** A host that one machine is about to claim is not chosen by another machine. */
import { expect, it } from 'vitest';
import { hostId, HostHarness } from '../../../../lab/harness/host-harness.ts';
import { annotations } from '../../../api/names/annotations.ts';
import type { MacHostObject, MachineObject } from '../../state/objects.ts';
import { IntendedHosts } from './intended-hosts.ts';

async function intended(named: (harness: HostHarness) => Promise<readonly MachineObject[]>) {
  const harness = new HostHarness();
  const host: MacHostObject = await harness.host({});
  const machines = await named(harness);
  return { harness, host, hosts: new IntendedHosts({ meaning: () => machines, now: harness.now }) };
}

const annotation = { metadata: { annotations: { [annotations.host.key]: hostId } } };

it('reserves a host for half a minute, or until the machine gives it up', async () => {
  const { harness, host, hosts } = await intended(() => Promise.resolve([]));
  hosts.keep(hostId, 'uid-1');
  expect([hosts.isOfOther(host, 'uid-1'), hosts.isOfOther(host, 'uid-2')]).toEqual([false, true]);
  await harness.clock.pass(30_000);
  expect(hosts.isOfOther(host, 'uid-2')).toBe(false);
  hosts.keep(hostId, 'uid-1');
  hosts.forget(hostId);
  expect(hosts.isOfOther(host, 'uid-2')).toBe(false);
});

it('counts a machine that names the host in its annotation', async () => {
  const { host, hosts } = await intended(async (harness) => [await harness.machine('one', annotation)]);
  expect(hosts.isOfOther(host, 'another uid')).toBe(true);
});
