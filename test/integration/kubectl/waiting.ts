/** kubectl get --watch and wait. */
import { expect } from 'vitest';
import { documents, shelf, type Flow } from './flow.ts';

const timeout = '--timeout=60s';
/** Checks once. */
const now = '--timeout=0';

export const waitingFlows: readonly Flow[] = [
  {
    flow: 'get -w shows existing objects, and then additions, changes and deletions',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('old', { boxes: 1 })), 'create', '-f', '-');
      const watch = kubectl.follow('get', 'sh', '-w', '--output-watch-events', '--no-headers');
      const next = async (): Promise<string> =>
        (await watch.next()).trim().split(/\s+/).slice(0, 3).join(' ');
      try {
        expect(await next()).toBe('ADDED old 1');
        await kubectl.feed(documents(shelf('new', { boxes: 2 })), 'create', '-f', '-');
        expect(await next()).toBe('ADDED new 2');
        await kubectl.ok('patch', 'sh', 'old', '--type=merge', '-p', '{"spec":{"boxes":5}}');
        expect(await next()).toBe('MODIFIED old 5');
        await kubectl.ok('delete', 'sh', 'old');
        expect(await next()).toBe('DELETED old 5');
      } finally {
        await watch.stop();
      }
    },
  },
  {
    flow: 'get -w of one object, as JSON, shows that object alone',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('a'), shelf('b')), 'create', '-f', '-');
      const watch = kubectl.follow(
        'get',
        'sh',
        'b',
        '-w',
        '-o',
        'jsonpath={.metadata.name}={.spec.boxes}{"\\n"}',
      );
      try {
        expect(await watch.next()).toBe('b=');
        for (const name of ['a', 'b'])
          await kubectl.ok('patch', 'sh', name, '--type=merge', '-p', '{"spec":{"boxes":7}}');
        expect(await watch.next()).toBe('b=7');
      } finally {
        await watch.stop();
      }
    },
  },
  {
    flow: 'wait waits for a condition',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('a')), 'create', '-f', '-');
      const wait = ['wait', 'sh/a', '--for=condition=Full'];
      expect(await kubectl.refused(...wait, now)).toContain('condition not met');
      const waiting = kubectl.ok(...wait, timeout);
      const full = '{"status":{"conditions":[{"type":"Full","status":"True"}]}}';
      await kubectl.ok('patch', 'sh', 'a', '--subresource=status', '--type=merge', '-p', full);
      expect(await waiting).toBe('shelf.flows.muster.dev/a condition met');
    },
  },
  {
    flow: 'wait waits for a value, and for the creation of an object',
    run: async ({ kubectl }) => {
      const there = kubectl.ok('wait', 'sh/a', '--for=create', timeout);
      await kubectl.feed(documents(shelf('a')), 'create', '-f', '-');
      expect(await there).toContain('condition met');
      const wait = ['wait', 'sh/a', '--for=jsonpath={.spec.boxes}=4'];
      expect(await kubectl.refused(...wait, now)).toContain('condition not met');
      const waiting = kubectl.ok(...wait, timeout);
      await kubectl.ok('patch', 'sh', 'a', '--type=merge', '-p', '{"spec":{"boxes":4}}');
      expect(await waiting).toContain('condition met');
    },
  },
  {
    flow: 'wait waits for a deletion',
    run: async ({ kubectl }) => {
      const held = shelf('a', {}, { finalizers: ['flows.muster.dev/hold'] });
      await kubectl.feed(documents(held), 'create', '-f', '-');
      await kubectl.ok('delete', 'sh', 'a', '--wait=false');
      expect(await kubectl.refused('wait', 'sh/a', '--for=delete', now)).toContain('condition not met');
      const waiting = kubectl.ok('wait', 'sh/a', '--for=delete', timeout);
      await kubectl.ok('patch', 'sh', 'a', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
      // The object may be gone before the first read of kubectl; kubectl then prints nothing, and succeeds.
      await waiting;
      expect(await kubectl.refused('get', 'sh', 'a')).toContain('NotFound');
    },
  },
];
