/** Properties under all faults. */
import { ownIdentity as identity } from '../auth/identity.ts';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonObject } from '../json.ts';
import { textAt } from '../kube-object.ts';
import type { Reply } from '../request.ts';
import { Mirror } from '../../../../lab/contracts/kubernetes-api/faults/mirror.ts';
import { configMaps, FaultHarness } from '../../../../lab/contracts/kubernetes-api/faults/harness.ts';
import { describeDeed } from './faults.ts';

/** All faults end before this time. */
const calmMs = 60_000;

const someMs = fc.integer({ min: 1, max: 3000 });
const moment = fc.oneof(fc.record({ afterEvents: fc.nat(4) }), fc.record({ afterMs: fc.nat(5000) }));
const fault = fc.oneof(
  fc.record({
    kind: fc.constant('error'),
    reason: fc.constantFrom('InternalError', 'ServiceUnavailable', 'TooManyRequests', 'Conflict', 'Timeout'),
  }),
  fc.record({ kind: fc.constantFrom('refused', 'reset') }),
  fc.constant({ kind: 'reply-lost' }),
  fc.record({ kind: fc.constantFrom('late', 'slow-reply'), ms: someMs }),
  fc.record({ kind: fc.constant('stale-read'), byRevisions: fc.integer({ min: 1, max: 9 }) }),
  moment.map((at) => ({ kind: 'watch-drop', ...at })),
  moment.map((at) => ({ kind: 'watch-expire', ...at })),
  fc.tuple(moment, someMs).map(([at, forMs]) => ({ kind: 'watch-stall', ...at, forMs })),
  fc.record({ kind: fc.constant('watch-duplicate'), event: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('watch-lag'), ms: someMs }),
);
const rule = fc.record({
  fault,
  when: fc.record({ probability: fc.constantFrom(0.1, 0.5, 0.9), untilMs: fc.constant(calmMs) }),
});
const situation = fc.record({
  kind: fc.constantFrom('outage', 'write-outage', 'throttling'),
  fromMs: fc.nat(10_000),
  forMs: someMs,
});
const plan = fc.record({
  rules: fc.array(rule, { maxLength: 8 }),
  situations: fc.array(situation, { maxLength: 2 }),
});

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('create', 'update', 'delete', 'wait'),
    name: fc.constantFrom('x', 'y'),
    value: fc.nat(999).map(String),
  }),
  { maxLength: 30 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

const history = fc.constantFrom(3, 1000);
const seed = fc.nat();

async function send(harness: FaultHarness, { what, name, value }: Step): Promise<Reply | undefined> {
  const body = { metadata: { name }, data: { value } };
  const path = `${configMaps}/${name}`;
  if (what === 'create') return harness.ask({ method: 'POST', body });
  if (what === 'update') return harness.ask({ method: 'PUT', path, body });
  if (what === 'delete') return harness.ask({ method: 'DELETE', path });
  await harness.passAwake(800);
  return undefined;
}

/** The stored value, or undefined. */
function valueOf(harness: FaultHarness, name: string): string | undefined {
  const answer = harness.server.handle({ identity, method: 'GET', path: `${configMaps}/${name}`, query: {} });
  const data = 'body' in answer ? answer.body['data'] : undefined;
  return isJsonObject(data) ? textAt(data, 'value') : undefined;
}

type Possible = ReadonlySet<string | undefined>;

/** The possible stored values after a step, by the reply. */
function possibleAfter(before: Possible, step: Step, reply: Reply): Possible {
  const after = step.what === 'delete' ? undefined : step.value;
  if ('broken' in reply) return reply.broken === 'refused' ? before : new Set([...before, after]);
  return 'status' in reply && reply.status < 300 ? new Set([after]) : before;
}

it('loses no acknowledged write, and stores no failed write', async () => {
  await fc.assert(
    fc.asyncProperty(plan, steps, seed, async (faults, todo, number) => {
      const harness = new FaultHarness(faults, { seed: number });
      const possible = new Map<string, Possible>();
      for (const step of todo) {
        const reply = await send(harness, step);
        if (reply === undefined) continue;
        const now = possibleAfter(possible.get(step.name) ?? new Set([undefined]), step, reply);
        possible.set(step.name, now);
        expect(now).toContain(valueOf(harness, step.name));
      }
    }),
  );
});

it('the same seed gives the same replies, the same faults and the same events', async () => {
  const run = async (faults: object, todo: readonly Step[], number: number): Promise<readonly string[]> => {
    const harness = new FaultHarness(faults, { seed: number });
    const mirror = new Mirror(harness);
    const lines: string[] = [];
    for (const step of todo) {
      lines.push(JSON.stringify(await send(harness, step)) ?? '', ...mirror.states);
    }
    return [...lines, ...harness.deeds.map((deed) => `${deed.at} ${describeDeed(deed)}`)];
  };
  await fc.assert(
    fc.asyncProperty(plan, steps, seed, async (faults, todo, number) => {
      expect(await run(faults, todo, number)).toEqual(await run(faults, todo, number));
    }),
  );
});

it('a client that resumes its watches misses nothing after the faults', async () => {
  await fc.assert(
    fc.asyncProperty(plan, steps, seed, history, async (faults, todo, number, historyMax) => {
      const harness = new FaultHarness(faults, { seed: number, historyMax });
      const mirror = new Mirror(harness);
      for (const step of todo) await send(harness, step);
      await harness.passAwake(2 * calmMs);
      expect(mirror.states).toEqual(harness.states);
    }),
  );
});
