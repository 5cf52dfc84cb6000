import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askServer } from '../../../lab/harness/ask-server.ts';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import type { Clock } from '../../platform/clock.ts';
import { leases } from '../client/builtin-resources.ts';
import { KubeClient } from '../client/client.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { LeaderLease } from './leader-lease.ts';

const second = 1000;

/** A replica with its own clock, which may be wrong, and its own connection, which may be cut. */
class Replica {
  readonly transport: EmbeddedTransport;
  readonly lease: LeaderLease;
  readonly client: KubeClient;
  losses = 0;
  begins = 0;
  readonly troubles: string[] = [];
  readonly withoutNamespace: string[] = [];

  constructor(
    server: ApiServer,
    { name, clock, namespace = 'default' }: { name: string; clock: Clock; namespace?: string },
  ) {
    this.transport = new EmbeddedTransport(server);
    const limit = new RateLimit(clock, { perSecond: 100, burst: 100 });
    this.client = new KubeClient({
      transport: this.transport,
      clock,
      limit,
      fieldManager: name,
      deadlineMs: 3 * second,
    });
    this.lease = new LeaderLease({
      client: this.client,
      clock,
      random: { next: () => 0.5 },
      namespace,
      name: 'manager',
      identity: name,
      onTrouble: ({ message }) => void this.troubles.push(message),
      onNoNamespace: ({ message }) => void this.withoutNamespace.push(message),
      onActing: () => void (this.begins += 1),
      onLost: () => void (this.losses += 1),
    });
  }

  isCutOff(isCut: boolean): void {
    this.transport.trouble = () => (isCut ? 'refused' : undefined);
  }
}

/** The clock of each replica is off by this much; a test may change it. */
function harness(skews: number[] = [0, 0]) {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const random = { next: () => 0.5 };
  const server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
  const replicas = skews.map((_, index) => {
    const own: Clock = {
      now: () => clock.now() + (skews[index] ?? 0),
      after: (ms, run) => clock.after(ms, run),
    };
    return new Replica(server, { name: `replica-${index}`, clock: own });
  });
  return { clock, replicas };
}

function pair(skews?: number[]) {
  const { clock, replicas } = harness(skews);
  const [a, b] = replicas;
  if (a === undefined || b === undefined) throw new Error('there are two');
  return { clock, a, b };
}

describe('a leader lease', () => {
  it('lets the first replica act, after waiting for requests of others', async () => {
    const { clock, a, b } = pair();
    a.lease.start();
    await clock.settle();
    b.lease.start();
    await clock.pass(29 * second);
    expect([a.lease.isHeld, a.lease.mayAct(), b.lease.isHeld]).toEqual([true, false, false]);
    await clock.pass(2 * second);
    expect([a.lease.mayAct(), b.lease.mayAct()]).toEqual([true, false]);
    await clock.pass(3600 * second);
    expect([a.lease.mayAct(), b.lease.isHeld, a.losses]).toEqual([true, false, 0]);
  });

  it('stops acting well before another replica may take over', async () => {
    const { clock, a, b } = pair();
    a.lease.start();
    await clock.settle();
    b.lease.start();
    await clock.pass(60 * second);
    a.isCutOff(true);
    const cutAt = clock.now();
    while (a.lease.mayAct()) await clock.next();
    expect(clock.now() - cutAt).toBeLessThanOrEqual(8 * second);
    expect([b.lease.isHeld, a.losses]).toEqual([false, 1]);
    while (!b.lease.isHeld) await clock.next();
    expect(clock.now() - cutAt).toBeGreaterThanOrEqual(12 * second);
    while (!b.lease.mayAct()) await clock.next();
    expect(clock.now() - cutAt).toBeGreaterThanOrEqual(42 * second);
  });

  it('hands over at once when a leader stops in order, except for the wait before the first effect', async () => {
    const { clock, a, b } = pair();
    a.lease.start();
    await clock.settle();
    b.lease.start();
    await clock.pass(60 * second);
    const stopping = a.lease.stop();
    await clock.settle();
    await stopping;
    expect(a.lease.mayAct()).toBe(false);
    await clock.pass(4 * second);
    expect([b.lease.isHeld, b.lease.mayAct()]).toEqual([true, false]);
    await clock.pass(31 * second);
    expect(b.lease.mayAct()).toBe(true);
  });

  it('works with clocks that are minutes apart', async () => {
    const { clock, a, b } = pair([-5 * 60 * second, 5 * 60 * second]);
    a.lease.start();
    await clock.settle();
    b.lease.start();
    await clock.pass(600 * second);
    expect([a.lease.mayAct(), b.lease.isHeld]).toEqual([true, false]);
  });

  it('is not taken from a renewing holder by a replica whose clock is set forward', async () => {
    const skews = [0, 0];
    const { clock, a, b } = pair(skews);
    a.lease.start();
    await clock.settle();
    b.lease.start();
    await clock.pass(60 * second);
    // The last renewal failed before it was sent, so it is a few seconds old when the other clock jumps.
    a.isCutOff(true);
    await clock.pass(2 * second);
    skews[1] = 300 * second;
    await clock.pass(3 * second);
    expect([a.lease.mayAct(), b.lease.isHeld]).toEqual([true, false]);
  });

  it('keeps the wait before the first effect also with a clock that is set forward', async () => {
    const skews = [0, 0];
    const { clock, a } = pair(skews);
    a.lease.start();
    await clock.pass(5 * second);
    skews[0] = 300 * second;
    await clock.pass(20 * second);
    expect([a.lease.isHeld, a.lease.mayAct()]).toEqual([true, false]);
  });

  it('ends also when the clock of its holder is set back', async () => {
    const { clock, replicas } = harness([0]);
    const [a] = replicas;
    a?.lease.start();
    await clock.pass(60 * second);
    a?.isCutOff(true);
    clock.jump(-3600 * second);
    expect(a?.lease.mayAct()).toBe(false);
  });

  it('has ended when a suspended holder wakes up, before any action', async () => {
    const { clock, a } = pair();
    a.lease.start();
    await clock.pass(60 * second);
    expect(a.lease.mayAct()).toBe(true);
    clock.jump(20 * second);
    expect(a.lease.mayAct()).toBe(false);
  });

  it('is found to be held when the reply to its acquisition was lost', async () => {
    const { clock, a } = pair();
    a.transport.trouble = ({ method }) => (method === 'POST' ? 'lost' : undefined);
    a.lease.start();
    await clock.pass(40 * second);
    expect(a.lease.mayAct()).toBe(true);
  });

  it('sends one request for each renewal while no other replica writes', async () => {
    const { clock, a } = pair();
    a.lease.start();
    await clock.pass(60 * second);
    const asked: string[] = [];
    a.transport.trouble = ({ method }) => void asked.push(method);
    await clock.pass(60 * second);
    expect(a.lease.mayAct()).toBe(true);
    expect(new Set(asked)).toEqual(new Set(['PUT']));
    expect(asked.length).toBeGreaterThan(10);
  });

  it('detects in the next round that a person gave it to another holder', async () => {
    const { clock, a, b } = pair();
    a.lease.start();
    await clock.pass(60 * second);
    const lease = await b.client.find(leases, { namespace: 'default', name: 'manager' });
    if (lease === undefined) throw new Error('no lease');
    await b.client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: 'replica-1' } });
    await clock.pass(3 * second);
    expect([a.lease.isHeld, a.lease.mayAct(), a.losses]).toEqual([false, false, 1]);
  });

  it('reports once when it may act, also after a loss and return', async () => {
    const { clock, a } = pair();
    a.lease.start();
    await clock.pass(29 * second);
    expect(a.begins).toBe(0);
    await clock.pass(600 * second);
    expect(a.begins).toBe(1);
    a.isCutOff(true);
    await clock.pass(10 * second);
    a.isCutOff(false);
    await clock.pass(60 * second);
    expect([a.begins, a.losses]).toEqual([2, 1]);
  });

  it('counts from the time when a renewal was sent, not answered', async () => {
    const { clock, a } = pair();
    const slowMs = 2500;
    a.transport.way = () => new Promise((resolve) => void clock.after(slowMs, resolve));
    a.lease.start();
    await clock.pass(60 * second);
    const sent: number[] = [];
    a.transport.trouble = () => void sent.push(clock.now());
    await clock.pass(10 * second);
    a.transport.trouble = () => 'refused';
    while (a.lease.mayAct()) await clock.next();
    const answered = sent.filter((at) => at + slowMs <= clock.now());
    expect(clock.now()).toBeLessThanOrEqual(Math.max(...answered) + 8 * second);
  });

  it('is not held by a late answer, such as after a suspension', async () => {
    const { clock, a } = pair();
    a.transport.way = () => Promise.resolve(clock.jump(20 * second));
    a.lease.start();
    await clock.settle();
    expect([a.lease.isHeld, a.lease.mayAct(), a.losses]).toEqual([false, false, 0]);
  });

  it('lost for want of renewal keeps the wait, also for the same holder', async () => {
    const { clock, a } = pair();
    a.lease.start();
    await clock.pass(60 * second);
    a.isCutOff(true);
    await clock.pass(10 * second);
    a.isCutOff(false);
    while (!a.lease.isHeld) await clock.next();
    const heldAt = clock.now();
    while (!a.lease.mayAct()) await clock.next();
    expect([clock.now() - heldAt >= 27 * second, a.losses]).toEqual([true, 1]);
  });

  it('of another holder is not released', async () => {
    const { clock, a, b } = pair();
    a.lease.start();
    await clock.pass(60 * second);
    const place = { namespace: 'default', name: 'manager' };
    const lease = await b.client.get(leases, place);
    await b.client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: 'replica-1' } });
    const stopping = a.lease.stop();
    await clock.settle();
    await stopping;
    expect((await b.client.get(leases, place)).spec?.holderIdentity).toBe('replica-1');
  });

  it('counts its transitions', async () => {
    const { clock, a, b } = pair();
    a.lease.start();
    await clock.settle();
    b.lease.start();
    await clock.pass(60 * second);
    await Promise.all([a.lease.stop(), clock.settle()]);
    await clock.pass(60 * second);
    const lease = await b.client.get(leases, { namespace: 'default', name: 'manager' });
    expect(lease.spec).toMatchObject({ holderIdentity: 'replica-1', leaseTransitions: 1 });
  });

  it('never lets two replicas act at once, nor a former leader after the first effect of the next', async () => {
    const step = fc.oneof(
      fc.record({ cut: fc.nat({ max: 2 }), isCut: fc.boolean() }),
      fc.record({ lose: fc.nat({ max: 2 }) }),
      fc.record({ set: fc.nat({ max: 2 }), skewMs: fc.integer({ min: -300_000, max: 300_000 }) }),
      fc.record({ passMs: fc.integer({ min: 1, max: 40_000 }) }),
    );
    const skew = fc.integer({ min: -300_000, max: 300_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.tuple(skew, skew, skew),
        async (steps, atFirst) => {
          const skews: number[] = [...atFirst];
          const { clock, replicas } = harness(skews);
          for (const { lease } of replicas) lease.start();
          let acting: Replica | undefined;
          const former = new Set<Replica>();
          const look = (): void => {
            const now = replicas.filter(({ lease }) => lease.mayAct());
            expect(now.length).toBeLessThanOrEqual(1);
            const [one] = now;
            if (one === undefined || one === acting) return;
            if (acting !== undefined) former.add(acting);
            former.delete(one);
            acting = one;
          };
          const pass = async (ms: number): Promise<void> => {
            const until = clock.now() + ms;
            for (let at = clock.nextAt(); at !== undefined && at <= until; at = clock.nextAt()) {
              await clock.next();
              look();
            }
            await clock.pass(Math.max(0, until - clock.now()));
            look();
          };
          for (const one of steps) {
            if ('cut' in one) replicas[one.cut]?.isCutOff(one.isCut);
            else if ('set' in one) skews[one.set] = one.skewMs;
            else if ('lose' in one) {
              const replica = replicas[one.lose];
              if (replica !== undefined)
                replica.transport.trouble = ({ method }) => (method === 'GET' ? undefined : 'lost');
            } else await pass(one.passMs);
          }
          for (const replica of replicas) replica.isCutOff(false);
          // A clock that was set back delays its leader by as much.
          await pass(720_000);
          expect(replicas.filter(({ lease }) => lease.mayAct())).toHaveLength(1);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a lease whose namespace does not exist', () => {
  const missing =
    'POST /apis/coordination.k8s.io/v1/namespaces/fleet/leases: 404 namespaces "fleet" not found';

  function namespaced() {
    const clock = new TestClock(Date.UTC(2026, 0, 1));
    const random = { next: () => 0.5 };
    const server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
    const replica = (name: string) => new Replica(server, { name, clock, namespace: 'fleet' });
    const create = () =>
      askServer(server, {
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { metadata: { name: 'fleet' } },
      });
    const remove = () => askServer(server, { method: 'DELETE', path: '/api/v1/namespaces/fleet' });
    return { clock, replica, create, remove };
  }

  it('is reported once, with the message of the API server, and the replica stops trying', async () => {
    const { clock, replica } = namespaced();
    const a = replica('a');
    a.lease.start();
    await clock.pass(60 * second);
    expect([a.withoutNamespace, a.troubles]).toEqual([[missing], []]);
    expect(a.transport.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('is reported when the API server answers at last', async () => {
    const { clock, replica } = namespaced();
    const a = replica('a');
    a.isCutOff(true);
    a.lease.start();
    await clock.pass(60 * second);
    expect(a.withoutNamespace).toEqual([]);
    a.isCutOff(false);
    await clock.pass(3 * second);
    expect(a.withoutNamespace).toEqual([missing]);
  });

  it('is an ordinary failure for a replica that has seen the lease, and ends when the namespace is back', async () => {
    const { clock, replica, create, remove } = namespaced();
    create();
    const [a, b] = [replica('a'), replica('b')];
    a.lease.start();
    await clock.pass(60 * second);
    b.lease.start();
    await clock.pass(10 * second);
    await Promise.all([a.lease.stop(), clock.settle()]);
    remove();
    await clock.pass(60 * second);
    expect([b.withoutNamespace, b.lease.isHeld, b.troubles.includes(missing)]).toEqual([[], false, true]);
    create();
    await clock.pass(60 * second);
    expect(b.lease.mayAct()).toBe(true);
  });

  it('is not taken for missing where the replica has no right to create leases', async () => {
    const { clock, replica } = namespaced();
    const a = replica('a');
    const message = 'leases.coordination.k8s.io is forbidden';
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      message,
      code: 403,
    };
    a.transport.trouble = ({ method }) => (method === 'POST' ? { status: 403, body } : undefined);
    a.lease.start();
    await clock.pass(10 * second);
    expect(a.withoutNamespace).toEqual([]);
    expect(new Set(a.troubles)).toEqual(new Set([missing.replace(/404 .*/, `403 ${message}`)]));
  });
});
