/** What a watcher sees of each fault. */
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import {
  FaultHarness,
  nameOf,
  revisionOf,
  type Seen,
} from '../../../../lab/contracts/kubernetes-api/faults/harness.ts';
import { faultyWatch } from './faulty-watch.ts';

/** A watch with this fault, on three objects created one second apart, the first before the watch. */
async function watched(fault: object): Promise<{ harness: FaultHarness; seen: Seen }> {
  const harness = new FaultHarness({ rules: [{ fault }] });
  harness.createReally('a');
  const seen = await harness.watch();
  for (const name of ['b', 'c']) {
    harness.pass(1000);
    harness.createReally(name);
  }
  return { harness, seen };
}

const shown = ({ events }: Seen): readonly string[] =>
  events.map(({ type, object }) => (type === 'ADDED' ? nameOf(object) : type));

it.for([0, 1, 2, 3])(
  'drop after %i events: they came, and then the connection broke',
  async (afterEvents) => {
    const { harness, seen } = await watched({ kind: 'watch-drop', afterEvents });
    expect([shown(seen), seen.end]).toEqual([['a', 'b', 'c'].slice(0, afterEvents), 'broken']);
    expect(harness.kinds).toEqual([`${[0, 0, 1000, 2000][afterEvents]} watch-drop`]);
  },
);

it('drop after a time', async () => {
  const { harness, seen } = await watched({ kind: 'watch-drop', afterMs: 1500 });
  expect([shown(seen), seen.end, harness.kinds]).toEqual([['a', 'b'], 'broken', ['1500 watch-drop']]);
});

it('resumes a dropped watch without a gap', async () => {
  const harness = new FaultHarness({
    rules: [{ when: { nth: 1 }, fault: { kind: 'watch-drop', afterEvents: 2 } }],
  });
  for (const name of ['a', 'b']) harness.createReally(name);
  const first = await harness.watch();
  for (const name of ['c', 'd']) harness.createReally(name);
  const resourceVersion = String(revisionOf(first.events.at(-1)?.object ?? null));
  const second = await harness.watch({ resourceVersion });
  harness.createReally('e');
  expect([...shown(first), ...shown(second)]).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('expire: an ERROR event that says Expired, then the end', async () => {
  const { seen } = await watched({ kind: 'watch-expire', afterEvents: 1 });
  expect([shown(seen), seen.end]).toEqual([['a', 'ERROR'], 'ended']);
  expect(seen.events[1]?.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
});

it('stall: nothing comes for a time, then all of it in order', async () => {
  const { harness, seen } = await watched({ kind: 'watch-stall', afterEvents: 1, forMs: 2500 });
  expect(shown(seen)).toEqual(['a']);
  harness.pass(500);
  expect(shown(seen)).toEqual(['a', 'b', 'c']);
});

it('a stall after a time holds back what comes later', async () => {
  const { harness, seen } = await watched({ kind: 'watch-stall', afterMs: 1500, forMs: 1000 });
  expect(shown(seen)).toEqual(['a', 'b']);
  harness.pass(500);
  expect(shown(seen)).toEqual(['a', 'b', 'c']);
});

it('duplicate: the event with that number comes twice', async () => {
  const { seen } = await watched({ kind: 'watch-duplicate', event: 2 });
  expect(shown(seen)).toEqual(['a', 'b', 'b', 'c']);
});

it('watch-lag: each event comes later, in order', async () => {
  const { harness, seen } = await watched({ kind: 'watch-lag', ms: 1500 });
  expect(shown(seen)).toEqual(['a']);
  harness.pass(500);
  expect(shown(seen)).toEqual(['a', 'b']);
  harness.pass(1000);
  expect(shown(seen)).toEqual(['a', 'b', 'c']);
});

it('the end of a watch does not overtake its events', async () => {
  const harness = new FaultHarness({ rules: [{ fault: { kind: 'watch-lag', ms: 5000 } }] });
  harness.createReally('a');
  const seen = await harness.watch({ timeoutSeconds: '1' });
  harness.pass(1000);
  expect([shown(seen), seen.end]).toEqual([[], undefined]);
  harness.pass(5000);
  expect([shown(seen), seen.end]).toEqual([['a'], 'ended']);
});

it('a watcher who has stopped hears no more, also not of what was held back', async () => {
  const { harness, seen } = await watched({ kind: 'watch-lag', ms: 1500 });
  seen.stop();
  harness.pass(10_000);
  harness.createReally('d');
  expect([shown(seen), seen.end]).toEqual([['a'], undefined]);
});

it('stops the inner watch when the drop comes during the initial events', () => {
  const real = { isStopped: false };
  const watch = faultyWatch(
    (sink) => {
      sink.event({ type: 'ADDED', object: {} });
      return () => (real.isStopped = true);
    },
    { faults: [{ kind: 'watch-drop', afterEvents: 1 }], clock: new VirtualClock(0), did: () => undefined },
  );
  watch({ event: () => undefined, end: () => undefined });
  expect(real.isStopped).toBe(true);
});

it('faults of a watch add up: one event twice, then the drop', async () => {
  const rules = [
    { fault: { kind: 'watch-duplicate', event: 2 } },
    { fault: { kind: 'watch-drop', afterEvents: 2 } },
  ];
  const harness = new FaultHarness({ rules });
  for (const name of ['a', 'b', 'c']) harness.createReally(name);
  const seen = await harness.watch();
  expect([shown(seen), seen.end]).toEqual([['a', 'b', 'b'], 'broken']);
});
