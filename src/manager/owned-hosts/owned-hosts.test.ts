/** The list and the notes of owned Macs in the cluster: the provider contract, and their failures. */
import { describe, expect, it } from 'vitest';
import {
  listPath,
  mac,
  macId,
  notesPath,
  StaticProviderHarness,
  zone,
} from '../../../lab/harness/static-provider-harness.ts';
import { anyProviderCases } from '../../../lab/contracts/provider/any-provider.ts';
import { runContract } from '../../../lab/contracts/provider/run-contract.ts';
import type { Fixture } from '../../../lab/contracts/provider/harness.ts';
import type { KubeRequest } from '../../kube/client/transport.ts';

const address = { zone, id: macId(1) };

async function openHarness(): Promise<Fixture> {
  const harness = new StaticProviderHarness();
  const reinstallMaxMs = 20 * 60_000;
  harness.clock.after(reinstallMaxMs, () => harness.wiping.resolve());
  const provider = harness.open();
  return {
    zone,
    id: address.id,
    count: 3,
    reinstallMaxMs,
    does: (call) => call(provider),
    pass: (ms) => harness.clock.pass(ms),
    close: () => provider.close(),
  };
}

runContract('owned hosts, kept in the cluster', anyProviderCases, openHarness);

const isWriteOfNotes = ({ method, path }: KubeRequest): boolean => method === 'PATCH' && path === notesPath;

describe('the list', () => {
  it('is read on each call', async () => {
    const harness = new StaticProviderHarness();
    const provider = harness.open();
    expect(await provider.listServers(zone)).toHaveLength(3);
    harness.setList(`hosts: [${JSON.stringify(mac(2))}]`);
    expect((await provider.listServers(zone)).map(({ id }) => id)).toEqual([macId(2)]);
  });

  it('with an invalid entry makes each request fail, and no host gone', async () => {
    const harness = new StaticProviderHarness();
    const provider = harness.open();
    harness.setList(`hosts: [${JSON.stringify({ ...mac(2), address: undefined })}]`);
    const unusable = {
      kind: 'unavailable',
      reason: 'HostListUnusable',
      message: `the list of hosts in the ConfigMap default/macs is rejected: entry 1 (id ${macId(2)}, name pool-2): address is missing`,
    };
    await expect(provider.listServers(zone)).rejects.toMatchObject(unusable);
    await expect(provider.getServer(address)).rejects.toMatchObject(unusable);
    await expect(provider.reinstall(address)).rejects.toMatchObject(unusable);
    expect(harness.wipes).toEqual([]);
  });

  it.for([
    ['list', listPath, 'the ConfigMap default/macs does not exist'],
    ['notes', notesPath, 'the ConfigMap default/macs-notes does not exist'],
    [
      'Secret of passwords',
      '/api/v1/namespaces/default/secrets/macs',
      'the Secret default/macs does not exist',
    ],
  ] as const)('without the %s no host is known, and none is gone', async ([, path, message]) => {
    const harness = new StaticProviderHarness();
    harness.ask('DELETE', path);
    const provider = harness.open();
    const unusable = { kind: 'unavailable', reason: 'HostListUnusable', message };
    await expect(provider.listServers(zone)).rejects.toMatchObject(unusable);
    await expect(provider.getServer(address)).rejects.toMatchObject(unusable);
  });

  it('that is not under its key is an error', async () => {
    const harness = new StaticProviderHarness();
    harness.ask('PATCH', listPath, { data: { 'hosts.yaml': null, 'hosts.yml': 'hosts: []' } });
    await expect(harness.open().listServers(zone)).rejects.toThrow('put it under the key hosts.yaml');
  });
});

describe('a note', () => {
  it('is written with the revision it was decided on, and again after a conflict', async () => {
    const harness = new StaticProviderHarness();
    const provider = harness.open();
    let rivals = 1;
    harness.transport.trouble = (request) => {
      if (isWriteOfNotes(request) && rivals-- > 0)
        harness.ask('PATCH', notesPath, { data: { [`${macId(2)}.name`]: 'by-a-person' } });
      return undefined;
    };
    await provider.rename(address, 'renamed');
    expect(harness.notes()).toEqual({ [`${macId(1)}.name`]: 'renamed', [`${macId(2)}.name`]: 'by-a-person' });
    expect(harness.transport.requests.filter(isWriteOfNotes)).toHaveLength(2);
  });

  it('is abandoned after a conflict at each attempt', async () => {
    const harness = new StaticProviderHarness();
    const provider = harness.open();
    let writes = 0;
    harness.transport.trouble = (request) => {
      if (isWriteOfNotes(request))
        harness.ask('PATCH', notesPath, { data: { other: String((writes += 1)) } });
      return undefined;
    };
    await expect(provider.reinstall(address)).rejects.toMatchObject({ kind: 'conflict', reason: 'Conflict' });
    expect([writes, harness.wipes]).toEqual([5, []]);
  });

  it('whose ConfigMap is missing is a failure of the store, and does not make the host gone', async () => {
    const harness = new StaticProviderHarness();
    const provider = harness.open();
    harness.transport.trouble = (request) => {
      if (isWriteOfNotes(request)) harness.ask('DELETE', notesPath);
      return undefined;
    };
    await expect(provider.rename(address, 'renamed')).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'HostListUnusable',
    });
  });

  it('of a wipe whose answer is lost keeps the host out of use, and runs no command', async () => {
    const harness = new StaticProviderHarness();
    const provider = harness.open();
    harness.transport.trouble = (request) => (isWriteOfNotes(request) ? 'lost' : undefined);
    await expect(provider.reinstall(address)).rejects.toMatchObject({ kind: 'unavailable' });
    harness.transport.trouble = () => undefined;
    expect([harness.wipes, (await provider.getServer(address)).status]).toEqual([[], 'interrupted']);
  });

  it('of a wipe is stored before its command runs, and removed after the command', async () => {
    const harness = new StaticProviderHarness();
    const provider = harness.open();
    await provider.reinstall(address);
    expect(harness.wipes).toMatchObject([{ marked: true, command: { command: '/opt/wipe' } }]);
    harness.wiping.resolve();
    await harness.clock.settle();
    expect(harness.notes()).toEqual({});
  });
});
