/** What becomes of the wake-ups when the connection on which they come is lost. */
import { expect } from 'vitest';
import { draft } from '../../../lab/contracts/store/harness.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import type { Fault } from './fault-harness.ts';
import { listen } from './listen.ts';

export const listenerFaults: readonly Fault[] = [
  {
    rule: 'a listener hears of a job that is queued, and only once that is committed',
    proves: async (harness) => {
      const { listener, woken, heard } = listen(harness);
      await listener.start();
      const { fixture } = harness;
      await fixture.account('7');
      await harness.holdCommits();
      const queued = fixture.queued(draft('1'));
      await harness.waiting();
      expect(woken).toEqual([undefined]);
      await harness.letCommitsGo();
      await queued;
      expect(await heard(2)).toEqual([undefined, 'linux']);
    },
  },
  {
    rule: 'a listener hears of every pool that a crowd of deliveries has jobs for',
    proves: async (harness) => {
      const { listener, woken } = listen(harness);
      await listener.start();
      await harness.fixture.account('7');
      const fixture = harness.patient();
      // The first two go alone, the others together.
      const pools = ['first', 'second', 'linux', 'macs', 'linux', 'large'];
      await Promise.all(pools.map(async (pool, index) => fixture.queued(draft(`${index}`, { pool }))));
      // Wake-ups come in the order of commits.
      await harness.operator.query(`select pg_notify('muster_jobs', 'last')`);
      await harness.until(async () => (woken.includes('last') ? true : undefined));
      expect(new Set(woken)).toEqual(new Set([undefined, ...pools, 'last']));
    },
  },
  {
    rule: 'a listener hears again after its connection was killed, and wakes everybody once',
    proves: async (harness) => {
      const { listener, heard, troubles } = listen(harness);
      await listener.start();
      const first = await harness.listening();
      await harness.terminate(first);
      await harness.until(async () => ((await harness.listening()) === first ? undefined : true));
      await harness.operator.query(`select pg_notify('muster_jobs', 'macs')`);
      // What is said while it begins to listen may be read together with the answer to that.
      const reported = await heard(3);
      expect([reported.filter((pool) => pool === undefined).length, reported.includes('macs')]).toEqual([
        2,
        true,
      ]);
      expect(troubles).toHaveLength(1);
    },
  },
  {
    rule: 'a listener that is stopped while it connects leaves no connection behind',
    proves: async (harness) => {
      const { listener, woken } = listen(harness);
      const starting = listener.start();
      await listener.stop();
      await starting;
      await harness.listeners(0);
      expect(woken).toEqual([]);
    },
  },
  {
    // As a standby does, which serves reads and refuses this one word until it is promoted.
    rule: 'a listener that the server refuses again and again leaves no connection behind, and is one in the end',
    proves: async (harness) => {
      const clock = new TestClock(0);
      const { listener, woken, troubles } = listen(harness, { url: harness.wireUrl, clock });
      harness.refuses = 'listen muster';
      await listener.start();
      for (const count of [2, 3, 4]) {
        await clock.pass(1000);
        await harness.until(async () => (troubles.length >= count ? true : undefined));
      }
      await harness.listeners(0);
      harness.refuses = undefined;
      await clock.pass(1000);
      await harness.listening();
      await harness.listeners(1);
      await harness.until(async () => (woken.length > 0 ? true : undefined));
      // None of those that were refused comes back.
      await clock.pass(60_000);
      await harness.listeners(1);
      expect([woken, troubles.length, clock.nextAt()]).toEqual([[undefined], 4, undefined]);
      await listener.stop();
      await harness.listeners(0);
    },
  },
];
