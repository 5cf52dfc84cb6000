/** The sweep of the sample: which boxes it removes, and when it removes none. */
import { expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../harness/embedded-transport.ts';
import { TestClock } from '../../../harness/test-clock.ts';
import { ApiServer } from '../../../../src/embedded/kubernetes-api/server.ts';
import { KubeClient } from '../../../../src/kube/client/client.ts';
import { RateLimit } from '../../../../src/platform/rate-limit.ts';
import { Sweep } from './sweep.ts';
import type { Box } from './shelf.ts';

function box(number: number, content?: string): Box {
  return { box: `box-${number}`, owner: 'default/gone', content };
}

function harness(boxes: readonly Box[], mayAct: () => boolean = () => true) {
  const clock = new TestClock(0);
  const server = new ApiServer({ clock, random: { next: () => 0.5 }, tokenSecret: new Uint8Array(32) });
  const limit = new RateLimit(clock, { perSecond: 100, burst: 100 });
  const transport = new EmbeddedTransport(server);
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'sample', deadlineMs: 1000 });
  const done: string[] = [];
  const shelf = {
    list: () => Promise.resolve(boxes),
    read: () => Promise.resolve(undefined),
    put: (name: string) => Promise.resolve(void done.push(`put ${name}`)),
    wipe: (name: string) => Promise.resolve(void done.push(`wipe ${name}`)),
    drop: (name: string) => Promise.resolve(void done.push(`drop ${name}`)),
  };
  const now = (): number => clock.now();
  const sweep = new Sweep({ client, shelf, find: () => undefined, now, mayAct, bug: undefined });
  return { sweep, done };
}

it('wipes a box without an owner, and removes the box only when it was seen empty', async () => {
  const { sweep, done } = harness([]);
  expect([await sweep.act(box(1, 'text')), await sweep.act(box(2))]).toEqual(['requested', 'requested']);
  expect(done).toEqual(['wipe box-1', 'drop box-2']);
});

it('does nothing when another replica leads by the time the check for owners is done', async () => {
  const { sweep, done } = harness([], () => false);
  expect(await sweep.act(box(1, 'text'))).toBe('precondition-lost');
  expect(done).toEqual([]);
});

it('removes no more than five at once, and reports each', async () => {
  const { sweep } = harness(Array.from({ length: 8 }, (_, number) => box(number)));
  const { actions, notes } = sweep.plan(await sweep.observe());
  expect([actions.length, notes.length]).toEqual([5, 8]);
});
