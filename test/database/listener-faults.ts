/** What becomes of the wake-ups when the connection on which they come is lost. */
import { expect } from 'vitest';
import { draft } from '../../src/dispatch/store/contract/stage.ts';
import { TestClock } from '../test-clock.ts';
import type { Fault } from './fault-stand.ts';
import { listen } from './listen.ts';

export const listenerFaults: readonly Fault[] = [
  {
    rule: 'a listener hears of a job that is queued, and only once that is committed',
    proves: async (stand) => {
      const { listener, woken, heard } = listen(stand);
      await listener.start();
      const { stage } = stand;
      await stage.account('7');
      await stand.holdCommits();
      const queued = stage.queued(draft('1'));
      await stand.waiting();
      expect(woken).toEqual([undefined]);
      await stand.letCommitsGo();
      await queued;
      expect(await heard(2)).toEqual([undefined, 'linux']);
    },
  },
  {
    rule: 'a listener hears of every pool that a crowd of deliveries has jobs for',
    proves: async (stand) => {
      const { listener, woken } = listen(stand);
      await listener.start();
      await stand.stage.account('7');
      const stage = stand.patient();
      // The first two go alone, the others together.
      const pools = ['first', 'second', 'linux', 'macs', 'linux', 'large'];
      await Promise.all(pools.map(async (pool, index) => stage.queued(draft(`${index}`, { pool }))));
      // Wake-ups come in the order of commits.
      await stand.operator.query(`select pg_notify('muster_jobs', 'last')`);
      await stand.until(async () => (woken.includes('last') ? true : undefined));
      expect(new Set(woken)).toEqual(new Set([undefined, ...pools, 'last']));
    },
  },
  {
    rule: 'a listener hears again after its connection was killed, and wakes everybody once',
    proves: async (stand) => {
      const { listener, heard, troubles } = listen(stand);
      await listener.start();
      const first = await stand.listening();
      await stand.terminate(first);
      await stand.until(async () => ((await stand.listening()) === first ? undefined : true));
      await stand.operator.query(`select pg_notify('muster_jobs', 'macs')`);
      // What is said while it begins to listen may be read together with the answer to that.
      const told = await heard(3);
      expect([told.filter((pool) => pool === undefined).length, told.includes('macs')]).toEqual([2, true]);
      expect(troubles).toHaveLength(1);
    },
  },
  {
    rule: 'a listener that is stopped while it connects leaves no connection behind',
    proves: async (stand) => {
      const { listener, woken } = listen(stand);
      const starting = listener.start();
      await listener.stop();
      await starting;
      await stand.listeners(0);
      expect(woken).toEqual([]);
    },
  },
  {
    // As a standby does, which serves reads and refuses this one word until it is promoted.
    rule: 'a listener that the server refuses again and again leaves no connection behind, and is one in the end',
    proves: async (stand) => {
      const clock = new TestClock(0);
      const { listener, woken, troubles } = listen(stand, { url: stand.wireUrl, clock });
      stand.refuses = 'listen muster';
      await listener.start();
      for (const count of [2, 3, 4]) {
        await clock.pass(1000);
        await stand.until(async () => (troubles.length >= count ? true : undefined));
      }
      await stand.listeners(0);
      stand.refuses = undefined;
      await clock.pass(1000);
      await stand.listening();
      await stand.listeners(1);
      await stand.until(async () => (woken.length > 0 ? true : undefined));
      // None of those that were refused comes back.
      await clock.pass(60_000);
      await stand.listeners(1);
      expect([woken, troubles.length, clock.nextAt()]).toEqual([[undefined], 4, undefined]);
      await listener.stop();
      await stand.listeners(0);
    },
  },
];
