/** Wake-ups when the listener connection is lost. */
import { expect } from 'vitest';
import { draft } from '../../../lab/contracts/store/harness.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import type { Fault } from './fault-harness.ts';
import { listen } from './listen.ts';

export const listenerFaults: readonly Fault[] = [
  {
    rule: 'a listener is notified of a queued job, and only after the commit',
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
    rule: 'a listener is notified of every pool in a batch of deliveries',
    proves: async (harness) => {
      const { listener, woken } = listen(harness);
      await listener.start();
      await harness.fixture.account('7');
      const fixture = harness.patient();
      // The first two are sent alone, the others together.
      const pools = ['first', 'second', 'linux', 'macs', 'linux', 'large'];
      await Promise.all(pools.map(async (pool, index) => fixture.queued(draft(`${index}`, { pool }))));
      // Wake-ups come in the order of commits.
      await harness.operator.query(`select pg_notify('muster_jobs', 'last')`);
      await harness.until(async () => (woken.includes('last') ? true : undefined));
      expect(new Set(woken)).toEqual(new Set([undefined, ...pools, 'last']));
    },
  },
  {
    rule: 'a listener reconnects after its connection was killed, and wakes every pool once',
    proves: async (harness) => {
      const { listener, heard, troubles } = listen(harness);
      await listener.start();
      const first = await harness.listening();
      await harness.terminate(first);
      await harness.until(async () => ((await harness.listening()) === first ? undefined : true));
      await harness.operator.query(`select pg_notify('muster_jobs', 'macs')`);
      // A notification during the start of LISTEN may be read together with its answer.
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
    // Like a standby, which serves reads and refuses LISTEN until its promotion.
    rule: 'a listener that the server refuses repeatedly leaves no connection behind, and succeeds in the end',
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
      // None of the refused listeners returns.
      await clock.pass(60_000);
      await harness.listeners(1);
      expect([woken, troubles.length, clock.nextAt()]).toEqual([[undefined], 4, undefined]);
      await listener.stop();
      await harness.listeners(0);
    },
  },
];
