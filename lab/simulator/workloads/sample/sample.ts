/**
 * The worked example: each Namespace has a ConfigMap, and two replicas of a controller keep its text in a box on a
 * shelf outside of Kubernetes. The shelf overwrites on every request. People create, change and delete the ConfigMaps
 * all the while.
 */
import { ownIdentity as identity } from '../../../../src/embedded/kubernetes-api/auth/identity.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { LiveView } from '../../world/live-view.ts';
import { RuntimeTransport } from '../../world/kube-transport.ts';
import type { Scenario, Setting, ScenarioSetup } from '../../engine/scenario.ts';
import type { World } from '../../world/world.ts';
import { Manager } from './manager.ts';
import { ledByBoth, rulesOf, swept } from './rules.ts';
import { Shelf } from './shelf.ts';
import { ShelfClient } from './shelf-client.ts';

const leaseNamespace = 'default';
const configMapName = 'text';
const replicas = ['manager-a', 'manager-b'] as const;
const resyncMs = 10 * 60_000;
const changesPerHour = 12;
const regretMs = 30_000;

export const sample: Scenario = sampleWith(['one', 'two', 'three', 'four']);

/** The same scenario with other Namespaces: a benchmark uses many. */
export function sampleWith(names: readonly string[]): Scenario {
  return {
    name: 'sample',
    says: 'two replicas keep ConfigMaps and boxes on a shelf in step, and neither is ever lost',
    hours: 12,
    settleMs: 3_600_000,
    endsAlike: true,
    bugs: {
      'no-finalizer-first': 'a box is filled before the finalizer is stored',
      'no-fresh-read': 'the sweep believes its cache when it takes a box away',
      'swallowed-error': 'a box that could not be filled is said to be',
      'drop-before-wipe': 'a box leaves the list before it is wiped',
      'no-back-off': 'what fails is tried again at once, for ever',
      'forgotten-requeue': 'what fails is not tried again',
      'act-after-lease-loss': 'a replica acts without asking whether it still may',
      'stale-cache-trusted': 'an action believes the cache that it was planned from',
    },
    scripts: {
      'late-fill': [
        '# A fill that was given up on lands long after; the box must still end up as it should.',
        'on manager-a/shelf/put#1 late ms=45000',
      ].join('\n'),
    },
    build: (world, setting) => buildSetup(world, { ...setting, names }),
  };
}

interface Cast extends Setting {
  readonly names: readonly string[];
}

function buildSetup(world: World, { bug, forMs, names }: Cast): ScenarioSetup {
  const objects = world.kube.view('/api/v1/configmaps');
  const leases = world.kube.view(`/apis/coordination.k8s.io/v1/namespaces/${leaseNamespace}/leases`);
  const rules = rulesOf({
    objects,
    leases,
    now: () => world.clock.now(),
    violate: (id, why) => world.violate(id, why),
    happened: (premise) => world.reachability.happened(`premise ${premise}`),
  });
  const shelf = new Shelf((request, process) => rules.sent(request, process));
  for (const name of replicas) {
    world.addProcess({
      name,
      versions: [
        (env) =>
          new Manager({
            env,
            // One of the two lists and then watches, like an older server: lists can be stale, and watches begin later.
            transport: new RuntimeTransport(world.kube.transport(env.incarnation), {
              isOlder: name === 'manager-b',
            }),
            shelf: new ShelfClient(shelf, world.calls, env.incarnation),
            leaseNamespace,
            bug,
          }),
      ],
    });
  }
  people(world, forMs, names);
  return {
    invariants: rules.invariants(shelf),
    premises: [swept, ledByBoth],
    services: [shelf.name],
    budgets: [
      { calls: 'shelf put', most: 60, perMs: 60_000 },
      { calls: 'shelf read', most: 240, perMs: 60_000 },
    ],
    cores: { 'manager-b is gone': [{ kind: 'crash', process: 'manager-b' }] },
    resyncMs,
    endState: () => endState(ours(objects, names), shelf),
    missing: () =>
      ours(objects, names).length < names.length
        ? 'not all ConfigMaps are there'
        : missing(ours(objects, names), shelf),
    held: () => ({ 'config maps': objects.size, boxes: shelf.boxes.length }),
  };
}

/** Each name is created, changed or deleted at random times; at the end all exist, with a known text. */
function people(world: World, forMs: number, names: readonly string[]): void {
  const random = world.random('people');
  for (const name of names) found(world, name);
  const count = Math.max(names.length, Math.floor((forMs / 3_600_000) * changesPerHour));
  for (let round = 0; round < count; round += 1) {
    const name = names[Math.floor(random.next() * names.length)] ?? 'one';
    const isDeletion = random.next() < 0.4;
    const atMs = Math.floor(random.next() * forMs * 0.85);
    world.clock.after(atMs, () => {
      if (isDeletion) ask(world, 'DELETE', name);
      else write(world, name, `text ${round}`);
    });
    // A person who undoes a change at once: a request in flight then lands after the object is gone.
    if (!isDeletion && random.next() < 0.3)
      world.clock.after(atMs + random.next() * regretMs, () => void ask(world, 'DELETE', name));
  }
  for (const name of names) world.clock.after(Math.floor(forMs * 0.9), () => settle(world, name));
}

/** An object that is still being deleted is requested again a little later. */
function settle(world: World, name: string): void {
  if (!write(world, name, 'the last text')) world.clock.after(60_000, () => settle(world, name));
}

function write(world: World, name: string, text: string): boolean {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMapName }, data: { text } };
  const current = ask(world, 'GET', name);
  if (current === undefined) return ask(world, 'POST', name, body) !== undefined;
  const { metadata } = current;
  if (isJsonObject(metadata) && metadata['deletionTimestamp'] !== undefined) return false;
  return ask(world, 'PUT', name, { ...current, data: { text } }) !== undefined;
}

function found(world: World, name: string): void {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  world.kube.server.handle({ identity, method: 'POST', path: '/api/v1/namespaces', query: {}, body });
}

/** Reads or writes the ConfigMap of a Namespace, past all faults; undefined when the API refused. */
function ask(
  world: World,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  ...[name, body]: readonly [string, Json?]
): JsonObject | undefined {
  const path = `/api/v1/namespaces/${name}/configmaps`;
  const place = method === 'POST' ? path : `${path}/${configMapName}`;
  const answer = world.kube.server.handle({ identity, method, path: place, query: {}, body });
  const isDone = 'status' in answer && answer.status < 300;
  if (method !== 'GET' && isDone) world.report({ who: 'people', what: `${method} ${name}`, outcome: 'ok' });
  return isDone ? answer.body : undefined;
}

function textOf(object: JsonObject): string {
  const { data } = object;
  return isJsonObject(data) && typeof data['text'] === 'string' ? data['text'] : '';
}

function ours(objects: LiveView, names: readonly string[]): readonly JsonObject[] {
  return names
    .map((name) => objects.get(`${name}/${configMapName}`))
    .filter((object) => object !== undefined);
}

function uidOf({ metadata }: JsonObject): Json | undefined {
  return isJsonObject(metadata) ? metadata['uid'] : undefined;
}

/** By owner and text: internal names are random, and may differ. */
function endState(known: readonly JsonObject[], shelf: Shelf): Json {
  const boxes = shelf.boxes.map(({ owner, content = '' }) => `${owner}: ${content}`).toSorted();
  return { boxes, texts: known.map(textOf).toSorted() };
}

function missing(known: readonly JsonObject[], shelf: Shelf): string | undefined {
  const unequal = known.find((object) => {
    const box = shelf.boxes.find((one) => one.box === uidOf(object));
    return box?.content !== textOf(object);
  });
  if (unequal !== undefined) return `the box of a ConfigMap does not hold ${JSON.stringify(textOf(unequal))}`;
  const lost = shelf.boxes.find(({ box }) => !known.some((object) => uidOf(object) === box));
  return lost === undefined ? undefined : `a box of ${lost.owner} has no owner`;
}
