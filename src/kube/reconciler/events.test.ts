import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import { KubeClient } from '../client/client.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import type { KubeRequest } from '../client/transport.ts';
import { cutMessage, events } from './event-object.ts';
import { EventRecorder, type EventRecorderOptions } from './events.ts';
import type { EventDraft } from './event-draft.ts';

const second = 1000;
const minute = 60 * second;
const start = Date.UTC(2026, 0, 1);

interface SeenEvent extends KubeObject {
  readonly count?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
}

class Harness {
  readonly clock = new TestClock(start);
  readonly random = new RandomStreams(1).stream('test');
  readonly transport: EmbeddedTransport;
  readonly client: KubeClient;
  readonly failures: string[] = [];
  readonly #limits: EventRecorderOptions['limits'];

  constructor(limits: EventRecorderOptions['limits'] = {}) {
    const { clock } = this;
    this.#limits = limits;
    const server = new ApiServer({ clock, random: this.random, tokenSecret: new Uint8Array(32) });
    this.transport = new EmbeddedTransport(server);
    const limit = new RateLimit(clock, { perSecond: 10_000, burst: 10_000 });
    this.client = new KubeClient({ transport: this.transport, clock, limit, fieldManager: 'test' });
  }

  recorder(): EventRecorder {
    const { client, clock, random, failures } = this;
    const onFailure: EventRecorderOptions['onFailure'] = ({ reason }) => void failures.push(reason);
    return new EventRecorder({
      client,
      clock,
      random,
      component: 'sample',
      onFailure,
      limits: this.#limits ?? {},
    });
  }

  get writes(): readonly string[] {
    return this.transport.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  }

  async events(namespace = 'default'): Promise<readonly SeenEvent[]> {
    return (await this.client.listPage<SeenEvent>(events, { namespace })).items;
  }

  async remove({ metadata: { name, uid } }: SeenEvent): Promise<void> {
    await this.client.delete(events, { namespace: 'default', name }, { uid });
  }
}

function about(name: string, more: Partial<EventDraft> = {}): EventDraft {
  const subject = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name, uid: `uid-${name}` };
  return { subject, type: 'Normal', reason: 'Filled', message: 'its box was filled', ...more };
}

describe('an event', () => {
  it('contains subject, reason, message, time and component', async () => {
    const harness = new Harness();
    harness.recorder().record(about('a', { type: 'Warning' }));
    await harness.clock.pass(0);
    expect(await harness.events()).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^a\.[0-9a-f]{16}$/), namespace: 'default' },
        involvedObject: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'default',
          name: 'a',
          uid: 'uid-a',
        },
        type: 'Warning',
        reason: 'Filled',
        message: 'its box was filled',
        source: { component: 'sample' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      },
    ]);
  });

  it('about an object outside of namespaces, with the longest of names, can be written too', async () => {
    const harness = new Harness();
    const name = `${'x'.repeat(235)}-${'y'.repeat(17)}`;
    const subject = { apiVersion: 'v1', kind: 'Node', name, uid: 'uid' };
    harness.recorder().record(about('', { subject }));
    await harness.clock.pass(0);
    expect([await harness.events(), harness.failures]).toMatchObject([[{ involvedObject: subject }], []]);
  });

  it('has at most 1,024 bytes of message, and no split character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 1500 }), (message) => {
        const cut = cutMessage(message);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut === message || (cut.endsWith('…') && message.startsWith(cut.slice(0, -1)))).toBe(true);
      }),
    );
    expect(cutMessage('é'.repeat(512))).toBe('é'.repeat(512));
    expect(cutMessage('é'.repeat(513))).toBe(`${'é'.repeat(510)}…`);
  });
});

describe('a repeated event', () => {
  it('raises the count of one Event, and is written once in ten seconds', async () => {
    const harness = new Harness();
    const recorder = harness.recorder();
    for (let round = 0; round < 100; round += 1) {
      recorder.record(about('a'));
      await harness.clock.pass(200);
    }
    await harness.clock.pass(10 * second);
    expect(await harness.events()).toMatchObject([
      { count: 100, firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:19Z' },
    ]);
    expect(harness.writes).toEqual(['POST', 'PATCH', 'PATCH']);
    expect([recorder.gauges().unwritten, harness.clock.nextAt()]).toEqual([0, undefined]);
  });

  it.for([
    ['another subject', { subject: { ...about('a').subject, uid: 'other' } }],
    ['another type', { type: 'Warning' }],
    ['another reason', { reason: 'Emptied' }],
    ['another message', { message: 'again' }],
  ] as const)('is another event with %s', async ([, more]) => {
    const harness = new Harness();
    const recorder = harness.recorder();
    recorder.record(about('a'));
    recorder.record(about('a', more));
    await harness.clock.pass(0);
    expect((await harness.events()).map(({ count }) => count)).toEqual([1, 1]);
  });

  it('is another Event after a quiet time, and after a restart', async () => {
    const harness = new Harness();
    const recorder = harness.recorder();
    const counts = async (): Promise<readonly unknown[]> =>
      (await harness.events()).map(({ count }) => count);
    recorder.record(about('a'));
    await harness.clock.pass(9 * minute);
    recorder.record(about('a'));
    await harness.clock.pass(9 * minute);
    expect(await counts()).toEqual([2]);
    await harness.clock.pass(2 * minute);
    recorder.record(about('a'));
    await harness.clock.pass(minute);
    expect(await counts()).toEqual(expect.arrayContaining([1, 2]));
    harness.recorder().record(about('a'));
    await harness.clock.pass(minute);
    expect(await counts()).toHaveLength(3);
  });
});

describe('load', () => {
  it('a subject that changes all day gets a burst of Events and then one in five minutes', async () => {
    const harness = new Harness();
    const recorder = harness.recorder();
    for (let round = 0; round < 3600; round += 1) {
      recorder.record(about('a', { reason: round % 2 === 0 ? 'Up' : 'Down' }));
      recorder.record(about('a', { message: `attempt ${round}` }));
      await harness.clock.pass(second);
    }
    expect(harness.writes.length).toBeLessThanOrEqual(25 + 12);
    expect(recorder.gauges().dropped).toBeGreaterThan(3000);
    recorder.record(about('b'));
    await harness.clock.pass(second);
    expect((await harness.events()).filter(({ metadata }) => metadata.name.startsWith('b'))).toHaveLength(1);
  });

  it('counts while nothing may be written, and catches up', async () => {
    const harness = new Harness({ burst: 1, refillMs: 15 * minute });
    const recorder = harness.recorder();
    for (const pauseMs of [second, second, 11 * minute, second]) {
      recorder.record(about('a'));
      await harness.clock.pass(pauseMs);
    }
    expect(await harness.events()).toMatchObject([{ count: 1 }]);
    await harness.clock.pass(30 * minute);
    expect(await harness.events()).toMatchObject([{ count: 4 }]);
  });

  it('memory does not grow with the number of Events', async () => {
    const harness = new Harness({ seriesMax: 10 });
    const recorder = harness.recorder();
    for (let round = 0; round < 100; round += 1) recorder.record(about(`subject-${round}`));
    expect(recorder.gauges()).toEqual({ series: 10, unwritten: 10, dropped: 90 });
    await harness.clock.pass(0);
    expect((await harness.events()).map(({ metadata }) => metadata.name.split('.')[0])).toContain(
      'subject-99',
    );
    recorder.record(about('subject-90'));
    for (let round = 0; round < 9; round += 1) recorder.record(about(`later-${round}`));
    recorder.record(about('subject-90'));
    await recorder.flush();
    const kept = (await harness.events()).filter(({ metadata }) => metadata.name.startsWith('subject-90'));
    expect(kept).toMatchObject([{ count: 3 }]);
  });
});

describe('a server that', () => {
  const posts = ({ method }: KubeRequest): boolean => method === 'POST';

  it('has deleted an Event gets a new Event with the whole count', async () => {
    const harness = new Harness();
    const recorder = harness.recorder();
    recorder.record(about('a'));
    await harness.clock.pass(minute);
    for (const event of await harness.events()) await harness.remove(event);
    recorder.record(about('a'));
    await harness.clock.pass(minute);
    recorder.record(about('a'));
    await harness.clock.pass(minute);
    expect([await harness.events(), harness.failures]).toMatchObject([[{ count: 3 }], []]);
  });

  it('wrote an Event although its answer was lost has one Event', async () => {
    const harness = new Harness();
    harness.transport.trouble = (request) => (posts(request) ? 'lost' : undefined);
    const recorder = harness.recorder();
    recorder.record(about('a'));
    await harness.clock.pass(0);
    harness.transport.trouble = () => undefined;
    recorder.record(about('a'));
    await harness.clock.pass(minute);
    expect([await harness.events(), harness.failures]).toMatchObject([[{ count: 2 }], ['AnswerLost']]);
  });

  it.for([
    ['is away for a minute', 'refused', 'Unreachable'],
    ['answers with a conflict', { status: 409, body: { kind: 'Status', reason: 'Conflict' } }, 'Conflict'],
  ] as const)('%s gets the Event later', async ([, trouble, reason]) => {
    const harness = new Harness();
    const recorder = harness.recorder();
    recorder.record(about('a'));
    await harness.clock.pass(minute);
    harness.transport.trouble = () => trouble;
    recorder.record(about('a'));
    await harness.clock.pass(50 * second);
    expect(new Set(harness.failures)).toEqual(new Set([reason]));
    expect(harness.failures.length).toBeLessThan(8);
    harness.transport.trouble = () => undefined;
    await harness.clock.pass(minute);
    expect(await harness.events()).toMatchObject([{ count: 2 }]);
  });

  it('fails now and then gets all Events in the end', async () => {
    const harness = new Harness();
    const recorder = harness.recorder();
    for (let round = 0; round < 3; round += 1) {
      recorder.record(about('a'));
      harness.transport.trouble = () => 'refused';
      await harness.clock.pass(minute);
      harness.transport.trouble = () => undefined;
      await harness.clock.pass(minute);
    }
    expect(harness.failures.length).toBeGreaterThan(10);
    expect(await harness.events()).toMatchObject([{ count: 3 }]);
  });

  it('names a retry time gets no request before', async () => {
    const harness = new Harness();
    harness.transport.trouble = () => ({ status: 429, retryAfterSeconds: 300, body: {} });
    harness.recorder().record(about('a'));
    await harness.clock.pass(299 * second);
    expect(harness.writes).toEqual(['POST']);
  });

  it.for([
    ['refuses', { status: 403, body: { kind: 'Status', reason: 'Forbidden' } }, 1],
    ['has no such namespace', { status: 404, body: { kind: 'Status', reason: 'NotFound' } }, 1],
    ['never answers', 'refused', 10],
  ] as const)('%s gets a limited number of attempts', async ([, trouble, attempts]) => {
    const harness = new Harness();
    harness.transport.trouble = () => trouble;
    const recorder = harness.recorder();
    recorder.record(about('a'));
    await harness.clock.pass(60 * minute);
    expect([harness.failures.length, recorder.gauges()]).toEqual([
      attempts,
      { series: 0, unwritten: 0, dropped: 1 },
    ]);
    expect(harness.clock.nextAt()).toBeUndefined();
  });
});

it('at the end of a process every Event is written, due or not', async () => {
  const harness = new Harness();
  const recorder = harness.recorder();
  recorder.record(about('a'));
  await harness.clock.pass(0);
  recorder.record(about('a'));
  recorder.record(about('b'));
  await Promise.all([recorder.flush(), recorder.flush()]);
  expect((await harness.events()).map(({ count }) => count)).toEqual([2, 1]);
  await harness.clock.pass(minute);
  expect(harness.writes).toEqual(['POST', 'PATCH', 'POST']);
});
