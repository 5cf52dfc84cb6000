/** The list and the notes of owned Macs in the cluster: the contract of every provider, and what may go wrong with them. */
import { describe, expect, it } from 'vitest';
import { listPath, mac, macId, notesPath, OfficeStand, zone } from '../../../test/office-stand.ts';
import { anyProviderCases } from '../../provider/contract/any-provider.ts';
import { runContract } from '../../provider/contract/run-contract.ts';
import type { Stage } from '../../provider/contract/stage.ts';
import type { KubeRequest } from '../../runtime/kube/transport.ts';

const address = { zone, id: macId(1) };

async function openStage(): Promise<Stage> {
  const stand = new OfficeStand();
  const reinstallMaxMs = 20 * 60_000;
  stand.clock.after(reinstallMaxMs, () => stand.wiping.resolve());
  const provider = stand.open();
  return {
    zone,
    id: address.id,
    count: 3,
    reinstallMaxMs,
    does: (call) => call(provider),
    pass: (ms) => stand.clock.pass(ms),
    close: () => provider.close(),
  };
}

runContract('owned hosts, kept in the cluster', anyProviderCases, openStage);

const isWriteOfNotes = ({ method, path }: KubeRequest): boolean => method === 'PATCH' && path === notesPath;

describe('the list', () => {
  it('is read anew each time', async () => {
    const stand = new OfficeStand();
    const provider = stand.open();
    expect(await provider.listServers(zone)).toHaveLength(3);
    stand.setList(`hosts: [${JSON.stringify(mac(2))}]`);
    expect((await provider.listServers(zone)).map(({ id }) => id)).toEqual([macId(2)]);
  });

  it('that has a wrong entry makes each question fail, and no host gone', async () => {
    const stand = new OfficeStand();
    const provider = stand.open();
    stand.setList(`hosts: [${JSON.stringify({ ...mac(2), address: undefined })}]`);
    const unusable = {
      kind: 'unavailable',
      reason: 'HostListUnusable',
      message: `the list of hosts in the ConfigMap default/macs is not used: entry 1 (id ${macId(2)}, name pool-2): address is missing`,
    };
    await expect(provider.listServers(zone)).rejects.toMatchObject(unusable);
    await expect(provider.getServer(address)).rejects.toMatchObject(unusable);
    await expect(provider.reinstall(address)).rejects.toMatchObject(unusable);
    expect(stand.wipes).toEqual([]);
  });

  it.for([
    ['list', listPath, 'there is no ConfigMap default/macs'],
    ['notes', notesPath, 'there is no ConfigMap default/macs-notes'],
    ['Secret of passwords', '/api/v1/namespaces/default/secrets/macs', 'there is no Secret default/macs'],
  ] as const)('without the %s no host is known, and none is gone', async ([, path, message]) => {
    const stand = new OfficeStand();
    stand.ask('DELETE', path);
    const provider = stand.open();
    const unusable = { kind: 'unavailable', reason: 'HostListUnusable', message };
    await expect(provider.listServers(zone)).rejects.toMatchObject(unusable);
    await expect(provider.getServer(address)).rejects.toMatchObject(unusable);
  });

  it('that is not under its key is told so', async () => {
    const stand = new OfficeStand();
    stand.ask('PATCH', listPath, { data: { 'hosts.yaml': null, 'hosts.yml': 'hosts: []' } });
    await expect(stand.open().listServers(zone)).rejects.toThrow('it must stand under hosts.yaml');
  });
});

describe('a note', () => {
  it('is written on the revision it was decided on, and again when somebody was faster', async () => {
    const stand = new OfficeStand();
    const provider = stand.open();
    let rivals = 1;
    stand.transport.trouble = (request) => {
      if (isWriteOfNotes(request) && rivals-- > 0)
        stand.ask('PATCH', notesPath, { data: { [`${macId(2)}.name`]: 'by-a-person' } });
      return undefined;
    };
    await provider.rename(address, 'renamed');
    expect(stand.notes()).toEqual({ [`${macId(1)}.name`]: 'renamed', [`${macId(2)}.name`]: 'by-a-person' });
    expect(stand.transport.requests.filter(isWriteOfNotes)).toHaveLength(2);
  });

  it('is given up when somebody is faster each time', async () => {
    const stand = new OfficeStand();
    const provider = stand.open();
    let writes = 0;
    stand.transport.trouble = (request) => {
      if (isWriteOfNotes(request)) stand.ask('PATCH', notesPath, { data: { other: String((writes += 1)) } });
      return undefined;
    };
    await expect(provider.reinstall(address)).rejects.toMatchObject({ kind: 'conflict', reason: 'Conflict' });
    expect([writes, stand.wipes]).toEqual([5, []]);
  });

  it('that has no place any more is a failure of the store, and does not make the host gone', async () => {
    const stand = new OfficeStand();
    const provider = stand.open();
    stand.transport.trouble = (request) => {
      if (isWriteOfNotes(request)) stand.ask('DELETE', notesPath);
      return undefined;
    };
    await expect(provider.rename(address, 'renamed')).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'HostListUnusable',
    });
  });

  it('of a wipe whose answer is lost keeps the host out of use, and nothing is run', async () => {
    const stand = new OfficeStand();
    const provider = stand.open();
    stand.transport.trouble = (request) => (isWriteOfNotes(request) ? 'lost' : undefined);
    await expect(provider.reinstall(address)).rejects.toMatchObject({ kind: 'unavailable' });
    stand.transport.trouble = () => undefined;
    expect([stand.wipes, (await provider.getServer(address)).status]).toEqual([[], 'interrupted']);
  });

  it('that a wipe was begun is stored when its command runs, and taken away when that has ended', async () => {
    const stand = new OfficeStand();
    const provider = stand.open();
    await provider.reinstall(address);
    expect(stand.wipes).toMatchObject([{ marked: true, command: { command: '/opt/wipe' } }]);
    stand.wiping.resolve();
    await stand.clock.settle();
    expect(stand.notes()).toEqual({});
  });
});
