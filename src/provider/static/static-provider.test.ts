import { describe, expect, it } from 'vitest';
import { drain } from '../../../test/drain.ts';
import { TestClock } from '../../../test/test-clock.ts';
import { anyProviderCases } from '../contract/any-provider.ts';
import { runContract } from '../contract/run-contract.ts';
import type { Stage } from '../contract/stage.ts';
import { Secret } from '../../runtime/secret.ts';
import { StaticProvider, type HostNote, type StaticHost, type StaticPorts } from './static-provider.ts';

const zone = 'office';
const os = { id: 'sequoia', name: 'macos-sequoia-15.7', family: 'Sequoia', version: '15.7', isBeta: false };

function host(number: number): StaticHost {
  return {
    id: `0000000${number}-1111-4222-8333-444444444444`,
    zone,
    name: `mini-${number}`,
    type: 'M2-L',
    ip: `192.0.2.${number}`,
    os,
    sshUsername: 'admin',
    sudoPassword: new Secret('correct horse'),
  };
}

const address = { zone, id: host(1).id };

/** Notes that outlive the provider, and a wipe that ends when the test says so. */
class Office {
  readonly notes = new Map<string, HostNote>();
  readonly failures: string[] = [];
  readonly wiped: string[] = [];
  wiping = Promise.withResolvers<void>();

  open(): StaticProvider {
    const ports: StaticPorts = {
      notes: {
        read: async () => new Map(this.notes),
        write: async (id, note) => void this.notes.set(id, note),
      },
      hook: {
        wipe: async ({ id }) => {
          this.wiped.push(id);
          await this.wiping.promise;
        },
      },
      onWipeFailed: ({ reason }) => void this.failures.push(reason),
    };
    return new StaticProvider([host(1), host(2), host(3)], ports);
  }
}

async function openStage(): Promise<Stage> {
  const clock = new TestClock(0);
  const office = new Office();
  const reinstallMaxMs = 20 * 60_000;
  clock.after(reinstallMaxMs, () => office.wiping.resolve());
  const provider = office.open();
  return {
    zone,
    id: address.id,
    count: 3,
    reinstallMaxMs,
    does: (call) => call(provider),
    pass: (ms) => clock.pass(ms),
    close: async () => undefined,
  };
}

runContract('owned hosts', anyProviderCases, openStage);

describe('an owned host', () => {
  it('keeps its name when the process ends', async () => {
    const office = new Office();
    await office.open().rename(address, 'renamed');
    expect(await office.open().getServer(address)).toMatchObject({ name: 'renamed', status: 'ready' });
  });

  it('whose wipe was cut off by the end of the process is not ready until one succeeds', async () => {
    const office = new Office();
    await office.open().reinstall(address);
    const next = office.open();
    expect((await next.getServer(address)).status).toBe('error');
    await next.reinstall(address);
    expect((await next.getServer(address)).status).toBe('reinstalling');
    office.wiping.resolve();
    await drain();
    expect((await next.getServer(address)).status).toBe('ready');
    expect(office.wiped).toEqual([address.id, address.id]);
  });

  it('whose wipe failed is not ready, and somebody is told', async () => {
    const office = new Office();
    const provider = office.open();
    await provider.reinstall(address);
    office.wiping.reject(new Error('exit status 1'));
    await drain();
    expect(office.failures).toEqual(['WipeFailed']);
    expect((await provider.getServer(address)).status).toBe('error');
  });

  it('whose mark cannot be stored is not wiped', async () => {
    const office = new Office();
    const provider = office.open();
    office.notes.set = () => {
      throw new Error('no room');
    };
    await expect(provider.reinstall(address)).rejects.toThrow('no room');
    expect(office.wiped).toEqual([]);
  });

  it('loses neither its name nor its mark when both are written at once', async () => {
    const office = new Office();
    const provider = office.open();
    await Promise.all([provider.rename(address, 'renamed'), provider.reinstall(address)]);
    expect(office.notes.get(address.id)).toEqual({ name: 'renamed', isBeingWiped: true });
  });

  it('is wiped onto its own image and no other', async () => {
    const office = new Office();
    await expect(office.open().reinstall(address, 'tahoe')).rejects.toMatchObject({
      reason: 'OSNotPublished',
    });
    await office.open().reinstall(address, os.id);
    expect(office.wiped).toEqual([address.id]);
    expect(await office.open().listOs(zone, 'M2-L')).toEqual([os]);
  });

  it('is not rented, and says so', async () => {
    const provider = new Office().open();
    const refused = { kind: 'rejected', reason: 'Unsupported' };
    await expect(provider.delete()).rejects.toMatchObject(refused);
    await expect(provider.scheduleDeletion()).rejects.toMatchObject(refused);
    await expect(provider.reboot()).rejects.toMatchObject(refused);
    await expect(provider.sshKeys.list()).rejects.toMatchObject(refused);
  });
});
