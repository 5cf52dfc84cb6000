/** People: they want machines and stop wanting them, at the worst moments and not always by the book. */
import { annotations } from '../../../api/annotations.ts';
import { ownIdentity as identity } from '../../../apiserver/auth/identity.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../apiserver/json.ts';
import { oneOf } from '../../random-streams.ts';
import type { World } from '../../world.ts';

const path = '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default/scalewayapplesiliconmachines';
export const machineNames: readonly string[] = ['tuist-tuist-a', 'tuist-tuist-b', 'tuist-tuist-c'];
/** One that a person still sets up, and one of another cluster. */
export const foreignNames: readonly string[] = ['apple-silicon-nightly', 'other-cluster-runners-1'];

const changesPerHour = 4;

type Deed = 'want' | 'drop' | 'force' | 'pause' | 'unpause';
const deeds: readonly Deed[] = ['want', 'want', 'want', 'drop', 'drop', 'force', 'pause', 'unpause'];

export class People {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** At the end each machine is wanted, none is paused. */
  begin(forMs: number): void {
    const random = this.#world.random('people');
    const count = Math.max(8, Math.floor((forMs / 3_600_000) * changesPerHour));
    for (let turn = 0; turn < count; turn += 1) {
      const name = oneOf(random, machineNames);
      const deed = oneOf(random, deeds);
      this.#world.clock.after(Math.floor(random.next() * forMs * 0.85), () => this.#do(deed, name));
    }
    for (const name of machineNames)
      this.#world.clock.after(Math.floor(forMs * 0.9), () => this.#settle(name));
  }

  /** One that is still leaving is asked for again a little later. */
  #settle(name: string): void {
    this.#do('unpause', name);
    this.#do('want', name);
    const machine = this.#ask('GET', name);
    const { metadata } = machine ?? {};
    const isThere = isJsonObject(metadata) && metadata['deletionTimestamp'] === undefined;
    if (!isThere) this.#world.clock.after(60_000, () => this.#settle(name));
  }

  #do(deed: Deed, name: string): void {
    switch (deed) {
      case 'want':
        this.#ask('POST', name, machineOf(name));
        return;
      case 'drop':
        this.#ask('DELETE', name);
        return;
      case 'force':
        // By hand, and against the book: the finalizer goes, and nobody gives the host back.
        this.#ask('DELETE', name);
        this.#ask('PATCH', name, { metadata: { finalizers: null } });
        return;
      case 'pause':
        this.#ask('PATCH', name, { metadata: { annotations: { [annotations.paused.key]: '' } } });
        return;
      case 'unpause':
        this.#ask('PATCH', name, { metadata: { annotations: { [annotations.paused.key]: null } } });
        return;
    }
  }

  /** Past all faults; undefined when it was refused. */
  #ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', name: string, body?: Json): JsonObject | undefined {
    const place = method === 'POST' ? path : `${path}/${name}`;
    const type = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    const answer = this.#world.kube.server.handle({
      identity,
      method,
      path: place,
      query: {},
      body,
      ...type,
    });
    const isDone = 'status' in answer && answer.status < 300;
    if (method !== 'GET' && isDone)
      this.#world.tell({ who: 'people', what: `${method} ${name}`, outcome: 'ok' });
    return isDone ? answer.body : undefined;
  }
}

function machineOf(name: string): Json {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name },
    spec: { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe' },
  };
}
