import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TestClock } from '../../harness/test-clock.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import type { CloudAct } from './operator-action.ts';
import { Cloud } from './cloud.ts';
import { usualTiming, type Timing } from './timing.ts';
import { perform } from './perform-action.ts';

const zone = 'fr-par-1';
const hour = 3_600_000;
const named = z.object({ servers: z.array(z.object({ name: z.string(), status: z.string() })) });

class Harness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly cloud: Cloud;

  constructor({ seed = 1, odds = {} }: { seed?: number; odds?: Partial<Timing['odds']> } = {}) {
    const streams = new RandomStreams(seed);
    const quiet = { listLag: 0, newAddress: 0, sealedPassword: 0, bareFloor: 0 };
    const timing = { ...usualTiming, odds: { ...usualTiming.odds, ...quiet, ...odds } };
    const options = { zones: [zone], hosts: 4, project: 'p', timing };
    this.cloud = new Cloud(options, { clock: this.clock, random: (name) => streams.stream(name) });
  }

  get first() {
    const [mac] = this.cloud.macs;
    if (mac === undefined) throw new Error('there is no server');
    return mac;
  }

  ask(what: 'get server' | 'reinstall server' | 'delete server', id = this.first.id) {
    return this.cloud.handle({ what, zone, id });
  }

  act(act: CloudAct): void {
    perform(this.cloud, act, this.clock);
  }

  get listed(): readonly string[] {
    const { body } = this.cloud.handle({ what: 'list servers', zone, page: 1, pageSize: 100 });
    return named.parse(body).servers.map(({ name, status }) => `${name} ${status}`);
  }

  async reinstall(): Promise<void> {
    this.ask('reinstall server');
    await this.clock.pass(hour);
  }
}

describe('the simulated cloud', () => {
  it('is equal for equal seeds, to the last password, and differs for different seeds', async () => {
    const story = async (seed: number): Promise<string> => {
      const harness = new Harness({ seed, odds: usualTiming.odds });
      await harness.reinstall();
      return JSON.stringify([
        harness.ask('get server'),
        harness.cloud.macs.map(({ hostKey, ip }) => [hostKey, ip]),
      ]);
    };
    expect(await story(3)).toBe(await story(3));
    expect(await story(3)).not.toBe(await story(4));
  });

  it('shows an old name in its listing for a while, and the new name in a read of the server', async () => {
    const harness = new Harness({ odds: { listLag: 1 } });
    const before = harness.first.name;
    harness.act({ act: 'rename', server: before, name: 'by-hand' });
    expect(harness.ask('get server').body).toMatchObject({ name: 'by-hand' });
    expect(harness.listed[0]).toBe(`${before} ready`);
    await harness.clock.pass(30_000);
    expect(harness.listed[0]).toBe('by-hand ready');
  });

  it('for a while lists a deleted server, and not a new one', async () => {
    const harness = new Harness({ odds: { listLag: 1 } });
    const { name } = harness.first;
    harness.act({ act: 'remove', server: name });
    harness.act({ act: 'order', zone, type: 'M2-L', name: 'newcomer' });
    expect(harness.listed.join()).toContain(name);
    expect(harness.listed.join()).not.toContain('newcomer');
    await harness.clock.pass(30_000);
    expect(harness.listed.join()).not.toContain(name);
    expect(harness.listed.join()).toContain('newcomer starting');
  });

  it('still shows ready for a moment after an accepted reinstall, and refuses a second reinstall', () => {
    const harness = new Harness({ seed: 2 });
    expect(harness.ask('reinstall server').body).toMatchObject({ status: 'ready' });
    expect(harness.ask('reinstall server')).toMatchObject({
      status: 409,
      body: { type: 'transient_state', current_state: 'reinstalling' },
    });
  });

  it('takes between 15 and 20 minutes for a reinstall', async () => {
    const harness = new Harness();
    harness.ask('reinstall server');
    await harness.clock.pass(15 * 60_000 - 1);
    expect(harness.first.status(harness.clock.now())).toBe('reinstalling');
    await harness.clock.pass(5 * 60_000 + 3001);
    expect([harness.first.status(harness.clock.now()), harness.first.wipes]).toEqual(['ready', 1]);
  });

  it.for([
    [{ newAddress: 1 }, true],
    [{ newAddress: 0 }, false],
  ] as const)('with %j changes the address by a reinstall: %s', async ([odds, changes]) => {
    const harness = new Harness({ odds });
    const { ip } = harness.first;
    await harness.reinstall();
    expect(harness.first.ip !== ip).toBe(changes);
  });

  it('ends a reinstall with another image, or never, where an act decided so', async () => {
    const harness = new Harness();
    harness.act({ act: 'reinstall fate', server: harness.first.id, osName: 'macos-sequoia-15.6' });
    await harness.reinstall();
    expect(harness.first.image.name).toBe('macos-sequoia-15.6');
    harness.act({ act: 'reinstall fate', server: harness.first.id, neverEnds: true });
    await harness.reinstall();
    expect(harness.first.status(harness.clock.now())).toBe('reinstalling');
    harness.act({ act: 'abandon work', server: harness.first.id });
    expect([harness.first.status(harness.clock.now()), harness.first.wipes]).toEqual(['ready', 1]);
  });

  it('returns a password sealed or open, and in the VNC address in both cases', () => {
    const sealed = new Harness({ odds: { sealedPassword: 1 } });
    expect(sealed.ask('get server').body).toMatchObject({
      sudo_password: '<sealed>',
      vnc_url: expect.stringContaining(sealed.first.password),
    });
    const open = new Harness();
    expect(open.ask('get server').body).toMatchObject({ sudo_password: open.first.password });
  });

  it.for([
    [0, ['help_message', 'message', 'precondition', 'type']],
    [1, ['message', 'type']],
  ] as const)('with odds %i of a bare floor has a body of %j', ([bareFloor, fields]) => {
    const harness = new Harness({ odds: { bareFloor } });
    const fresh = harness.cloud.order(zone, 'M2-L', 'fresh');
    const { status, body } = harness.ask('delete server', fresh.id);
    expect([status, Object.keys(z.looseObject({}).parse(body)).toSorted()]).toEqual([412, fields]);
  });
});
