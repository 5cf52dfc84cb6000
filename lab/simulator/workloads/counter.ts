/**
 * Two workers count in one ConfigMap. A person orders a number from each, in another ConfigMap. A worker adds one to
 * the sum and to its own number in a single write, until the order is done. No acknowledged increment may be lost. The
 * scenario uses no product code, and so shows how to write a scenario.
 */
import { ownIdentity as identity } from '../../../src/embedded/kubernetes-api/auth/identity.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/embedded/kubernetes-api/json.ts';
import type { LiveView } from '../world/live-view.ts';
import type { Invariant } from '../checkers/invariant.ts';
import type { Scenario, ScenarioSetup } from '../engine/scenario.ts';
import type { World } from '../world/world.ts';
import { CounterWorker, numbersIn, path } from './counter-worker.ts';

const workers = ['worker-a', 'worker-b'] as const;
const resyncMs = 120_000;
const ordersPerHour = 4;

export const counter: Scenario = {
  name: 'counter',
  says: 'two workers count in one ConfigMap, and no acknowledged increment may be lost',
  hours: 12,
  settleMs: 1_800_000,
  bugs: {
    'lost-update': 'a worker writes without the resourceVersion it has read',
    'double-count': 'a worker that was not answered counts once more without looking',
    'leaked-watch': 'a worker opens another watch at each resync and stops none',
    'told-secret': 'a worker prints its password when it is refused',
  },
  scripts: {
    'reply-lost': [
      '# The write lands, and the worker does not learn of it: it must look before it counts again.',
      'on worker-a/kube/update configmaps#1 reply-lost',
    ].join('\n'),
    'paused-writer': [
      '# One worker sleeps with a write on its mind, the other goes on.',
      'at 4m pause worker-a for=6m',
      'at 5m clog worker-b kube-watch for=2m keeps=false',
    ].join('\n'),
  },
  build: (world, { bug, forMs }) => buildSetup(world, bug, forMs),
};

function buildSetup(world: World, bug: string | undefined, forMs: number): ScenarioSetup {
  const acknowledged = new Map<string, number>();
  const data = (values: Readonly<Record<string, number>>): JsonObject =>
    Object.fromEntries(Object.entries(values).map(([name, count]) => [name, String(count)]));
  const none = Object.fromEntries(workers.map((worker) => [worker, 0]));
  write(world, 'POST', { name: 'counter', data: data({ sum: 0, ...none }) });
  write(world, 'POST', { name: 'orders', data: data(none) });
  const password = world.canaries.plant('password of the workers');
  for (const [index, name] of workers.entries()) {
    world.addProcess({
      name,
      versions: [
        (env) =>
          new CounterWorker({
            env,
            workMs: index * 10_000,
            transport: world.kube.transport(env.incarnation),
            bug,
            resyncMs,
            password,
            acknowledged: (count) => acknowledged.set(name, Math.max(count, acknowledged.get(name) ?? 0)),
            happened: (premise) => world.reachability.happened(`premise ${premise}`),
          }),
      ],
    });
  }
  order(world, forMs);
  const view = world.kube.view(path);
  return {
    invariants: invariantsOf(view, acknowledged),
    premises: ['a write was refused because another came first', 'a worker was not answered'],
    budgets: [{ calls: 'kube update', most: 120, perMs: 60_000 }],
    cores: {
      'worker-b is gone': [{ kind: 'crash', process: 'worker-b' }],
      'worker-a sees no events': [{ kind: 'clog', process: 'worker-a', link: 'kube-watch', keeps: true }],
    },
    resyncMs,
    endState: () => view.get('default/counter')?.['data'] ?? null,
    missing: (core) => missingIn(view, core === 'worker-b is gone' ? ['worker-a'] : workers),
    held: () => ({ 'config maps': view.size }),
  };
}

/** Orders come at random times, the last one well before the faults end. */
function order(world: World, forMs: number): void {
  const random = world.random('orders');
  const count = Math.max(1, Math.floor((forMs / 3_600_000) * ordersPerHour));
  const wanted = new Map<string, number>();
  for (let round = 0; round < count; round += 1) {
    world.clock.after(Math.floor(random.next() * forMs * 0.9), () => {
      for (const worker of workers) wanted.set(worker, (wanted.get(worker) ?? 0) + 2);
      const values = [...wanted].map(([name, number]) => [name, String(number)]);
      write(world, 'PUT', { name: 'orders', data: Object.fromEntries(values) });
      world.report({
        who: 'people',
        what: 'order more',
        outcome: JSON.stringify(Object.fromEntries(values)),
      });
    });
  }
}

/** Writes past all faults: for people and for the start of the world. */
function write(world: World, method: 'POST' | 'PUT', { name, data }: { name: string; data: Json }): void {
  const place = method === 'POST' ? path : `${path}/${name}`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  const answer = world.kube.server.handle({ identity, method, path: place, query: {}, body });
  if (!('status' in answer) || answer.status >= 300) throw new Error(`${name} cannot be written`);
}

function invariantsOf(view: LiveView, acknowledged: ReadonlyMap<string, number>): readonly Invariant[] {
  const numbers = (): Readonly<Record<string, number>> => numbersOf(view, 'default/counter');
  return [
    {
      id: 'acknowledged',
      says: 'no acknowledged increment is lost',
      when: 'each',
      check: () => {
        const stored = numbers();
        const lost = workers.find((worker) => (stored[worker] ?? 0) < (acknowledged.get(worker) ?? 0));
        return lost === undefined
          ? undefined
          : `${lost} was told ${acknowledged.get(lost)}, but ${stored[lost] ?? 'nothing'} is stored`;
      },
    },
    {
      id: 'sum',
      says: 'the sum is what the workers have counted',
      when: 'each',
      check: () => {
        const { sum = 0, ...own } = numbers();
        const counted = Object.values(own).reduce((all, one) => all + one, 0);
        return sum === counted ? undefined : `the sum is ${sum}, but the workers have counted ${counted}`;
      },
    },
    {
      id: 'no-more-than-ordered',
      says: 'no worker counts further than its order',
      when: 'often',
      check: () => {
        const [stored, ordered] = [numbers(), numbersOf(view, 'default/orders')];
        const over = workers.find((worker) => (stored[worker] ?? 0) > (ordered[worker] ?? 0));
        return over === undefined
          ? undefined
          : `${over} has counted to ${stored[over]}, not to ${ordered[over]}`;
      },
    },
  ];
}

function missingIn(view: LiveView, names: readonly string[]): string | undefined {
  const [stored, ordered] = [numbersOf(view, 'default/counter'), numbersOf(view, 'default/orders')];
  const behind = names.find((worker) => stored[worker] !== ordered[worker]);
  return behind === undefined
    ? undefined
    : `${behind} has counted to ${stored[behind]}, and should to ${ordered[behind]}`;
}

function numbersOf(view: LiveView, name: string): Readonly<Record<string, number>> {
  const data = view.get(name)?.['data'];
  return isJsonObject(data) ? numbersIn(data) : {};
}
