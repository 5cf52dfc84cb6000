/** Owned hosts: what survives a restart, and the order in which a wipe is recorded and run. */
import { describe, expect, it } from 'vitest';
import { drain } from '../../../../lab/harness/drain.ts';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { anyProviderCases } from '../../../../lab/contracts/provider/any-provider.ts';
import { runContract } from '../../../../lab/contracts/provider/run-contract.ts';
import type { Fixture } from '../../../../lab/contracts/provider/harness.ts';
import { providerFailure } from '../provider-failure.ts';
import { Secret } from '../../../platform/secret.ts';
import { RandomStreams } from '../../../../lab/simulator/engine/random-streams.ts';
import type { HostNote, StaticHost } from './static-host.ts';
import { StaticProvider } from './static-provider.ts';

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
class OwnedMacs {
  readonly clock = new TestClock(0);
  readonly random = new RandomStreams(1).stream('test');
  readonly notes = new Map<string, HostNote>();
  readonly troubles: string[] = [];
  readonly wiped: string[] = [];
  wiping = Promise.withResolvers<void>();
  /** Runs before a note is written; may fail. */
  writing: () => Promise<void> = () => Promise.resolve();
  reading: () => Promise<void> = () => Promise.resolve();
  mayAct = true;

  open(): StaticProvider {
    const { clock, random } = this;
    return new StaticProvider({
      hosts: () => Promise.resolve([host(1), host(2), host(3)]),
      notes: {
        read: async () => {
          const notes = new Map(this.notes);
          await this.reading();
          return notes;
        },
        change: async (id, next) => {
          await this.writing();
          this.notes.set(id, next(this.notes.get(id) ?? {}));
        },
      },
      hook: { wipe: ({ id }, stop) => this.#wipe(id, stop) },
      mayAct: () => this.mayAct,
      clock,
      random,
      onTrouble: ({ reason, message }) => void this.troubles.push(`${reason}: ${message}`),
    });
  }

  async #wipe(id: string, stop: AbortSignal): Promise<void> {
    this.wiped.push(id);
    const stopped = Promise.withResolvers<never>();
    stop.addEventListener('abort', () => stopped.reject(new Error('cut off')));
    await Promise.race([this.wiping.promise, stopped.promise]);
  }
}

async function statusOf(provider: StaticProvider): Promise<string> {
  return (await provider.getServer(address)).status;
}

async function openHarness(): Promise<Fixture> {
  const ownedMacs = new OwnedMacs();
  const reinstallMaxMs = 20 * 60_000;
  ownedMacs.clock.after(reinstallMaxMs, () => ownedMacs.wiping.resolve());
  const provider = ownedMacs.open();
  return {
    zone,
    id: address.id,
    count: 3,
    reinstallMaxMs,
    does: (call) => call(provider),
    pass: (ms) => ownedMacs.clock.pass(ms),
    close: async () => undefined,
  };
}

runContract('owned hosts', anyProviderCases, openHarness);

describe('an owned host', () => {
  it('keeps its name when the process ends', async () => {
    const ownedMacs = new OwnedMacs();
    await ownedMacs.open().rename(address, 'renamed');
    expect(await ownedMacs.open().getServer(address)).toMatchObject({ name: 'renamed', status: 'ready' });
  });

  it('is wiped to its own image only', async () => {
    const ownedMacs = new OwnedMacs();
    await expect(ownedMacs.open().reinstall(address, 'tahoe')).rejects.toMatchObject({
      reason: 'OSNotPublished',
    });
    await ownedMacs.open().reinstall(address, os.id);
    expect(ownedMacs.wiped).toEqual([address.id]);
    expect(await ownedMacs.open().listOs(zone, 'M2-L')).toEqual([os]);
  });

  it('rejects requests about rent', async () => {
    const provider = new OwnedMacs().open();
    const refused = { kind: 'rejected', reason: 'Unsupported' };
    await expect(provider.delete()).rejects.toMatchObject(refused);
    await expect(provider.scheduleDeletion()).rejects.toMatchObject(refused);
    await expect(provider.reboot()).rejects.toMatchObject(refused);
    await expect(provider.sshKeys.list()).rejects.toMatchObject(refused);
  });
});

describe('a wipe', () => {
  it('that was cut off by a restart leaves the host not ready until a wipe succeeds, and is reported once', async () => {
    const ownedMacs = new OwnedMacs();
    await ownedMacs.open().reinstall(address);
    const next = ownedMacs.open();
    expect([await statusOf(next), await statusOf(next)]).toEqual(['interrupted', 'interrupted']);
    expect(ownedMacs.troubles).toEqual([
      expect.stringMatching(/^WipeFailed: the wipe of 00000001-.* was cut off/),
    ]);
    await next.reinstall(address);
    expect(await statusOf(next)).toBe('reinstalling');
    ownedMacs.wiping.resolve();
    await ownedMacs.clock.pass(60_000);
    expect(await statusOf(next)).toBe('ready');
    expect(ownedMacs.wiped).toEqual([address.id, address.id]);
  });

  it('that failed leaves the host faulty, also after a restart, and reports the cause', async () => {
    const ownedMacs = new OwnedMacs();
    const provider = ownedMacs.open();
    await provider.reinstall(address);
    ownedMacs.wiping.reject(new Error('exit code 1'));
    await drain();
    expect(ownedMacs.troubles).toEqual([expect.stringMatching(/^WipeFailed: .*: exit code 1$/)]);
    expect([await statusOf(provider), await statusOf(ownedMacs.open())]).toEqual(['error', 'error']);
    expect(ownedMacs.notes.get(address.id)?.failure).toBe('exit code 1');
  });

  it('is not begun when its mark cannot be stored, and never shown as running', async () => {
    const ownedMacs = new OwnedMacs();
    const provider = ownedMacs.open();
    const way = Promise.withResolvers<void>();
    ownedMacs.writing = () => way.promise;
    const asked = provider.reinstall(address);
    expect(await statusOf(provider)).toBe('ready');
    way.reject(providerFailure('unavailable', { reason: 'ProviderUnavailable', message: 'disk full' }));
    await expect(asked).rejects.toThrow('disk full');
    expect([ownedMacs.wiped, await statusOf(provider)]).toEqual([[], 'ready']);
  });

  it('is not started by a replica that lost the lead while storing the mark', async () => {
    const ownedMacs = new OwnedMacs();
    const provider = ownedMacs.open();
    ownedMacs.writing = async () => void (ownedMacs.mayAct = false);
    await expect(provider.reinstall(address)).rejects.toMatchObject({ kind: 'notYet' });
    expect([ownedMacs.wiped, await statusOf(provider)]).toEqual([[], 'interrupted']);
  });

  it('removes its own mark only: the mark of a later wipe stays', async () => {
    const ownedMacs = new OwnedMacs();
    const first = ownedMacs.open();
    await first.reinstall(address);
    const firstEnd = ownedMacs.wiping;
    ownedMacs.wiping = Promise.withResolvers();
    const second = ownedMacs.open();
    await second.reinstall(address);
    const mark = ownedMacs.notes.get(address.id);
    firstEnd.resolve();
    await drain();
    expect(ownedMacs.notes.get(address.id)).toEqual(mark);
  });

  it('is shown for a minute after the first read of its host, however quick it was', async () => {
    const ownedMacs = new OwnedMacs();
    const provider = ownedMacs.open();
    ownedMacs.wiping.resolve();
    await provider.reinstall(address);
    await ownedMacs.clock.pass(3_600_000);
    expect(ownedMacs.notes.get(address.id)?.wipe).toBeUndefined();
    expect((await provider.listServers(zone))[0]?.status).toBe('reinstalling');
    expect(await statusOf(provider)).toBe('reinstalling');
    await ownedMacs.clock.pass(59_999);
    expect(await statusOf(provider)).toBe('reinstalling');
    await ownedMacs.clock.pass(1);
    expect(await statusOf(provider)).toBe('ready');
  });

  it('that ends while the notes are read counts as running in that read', async () => {
    const ownedMacs = new OwnedMacs();
    const provider = ownedMacs.open();
    await provider.reinstall(address);
    expect(await statusOf(provider)).toBe('reinstalling');
    await ownedMacs.clock.pass(60_000);
    const way = Promise.withResolvers<void>();
    ownedMacs.reading = () => way.promise;
    const asked = statusOf(provider);
    await drain();
    ownedMacs.wiping.resolve();
    await drain();
    way.resolve();
    expect([await asked, await statusOf(provider), ownedMacs.troubles]).toEqual([
      'reinstalling',
      'ready',
      [],
    ]);
  });

  it('whose end cannot be stored is stored later, and the host is not ready until then', async () => {
    const ownedMacs = new OwnedMacs();
    const provider = ownedMacs.open();
    await provider.reinstall(address);
    ownedMacs.writing = () =>
      Promise.reject(providerFailure('unavailable', { reason: 'ProviderUnavailable', message: 'away' }));
    ownedMacs.wiping.resolve();
    await drain();
    expect(await statusOf(provider)).toBe('reinstalling');
    ownedMacs.writing = () => Promise.resolve();
    await ownedMacs.clock.pass(9999);
    expect(await statusOf(provider)).toBe('reinstalling');
    await ownedMacs.clock.pass(60_000);
    expect(await statusOf(provider)).toBe('ready');
  });

  it('is cut off when the provider is closed, and no other is started', async () => {
    const ownedMacs = new OwnedMacs();
    const provider = ownedMacs.open();
    await provider.reinstall(address);
    await provider.close();
    expect(await statusOf(provider)).toBe('interrupted');
    await expect(provider.reinstall(address)).rejects.toMatchObject({ kind: 'notYet' });
    expect(ownedMacs.wiped).toEqual([address.id]);
  });
});
