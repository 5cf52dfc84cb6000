/**
 * What people do in several steps, with pauses between the steps: the recipe that takes a machine off its host, half of that
 * recipe, a machine deleted and created again, backups of MacHosts and machines restored at the wrong time, a paused Cluster.
 */
import { annotations } from '../../../../src/api/names/annotations.ts';
import { isJsonObject, type JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { Random } from '../../../../src/platform/random.ts';
import { oneOf, wholeBetween } from '../../engine/random-streams.ts';
import type { World } from '../../world/world.ts';
import type { AdminClient } from './admin-client.ts';
import { clusterName, machineOf } from './machine-objects.ts';
import { fieldsOf } from './stored-objects.ts';

const minute = 60_000;
const goneLookMs = 10_000;
const goneLooksMax = 60;

export const recipes = [
  'take off its host',
  'delete and create again',
  'restore from a backup',
  'make it like one of the older provider',
  'back up MacHosts',
  'restore MacHosts',
  'pause the Cluster',
] as const;
export type Recipe = (typeof recipes)[number];

/** The single steps, which `People` also takes and reports to the checkers. */
export interface RecipeSteps {
  readonly pause: (name: string) => void;
  readonly unpause: (name: string) => void;
  readonly clear: (name: string) => void;
  readonly drop: (name: string) => void;
  readonly want: (name: string) => void;
  readonly force: (name: string) => void;
  readonly loseHosts: (ids: readonly string[]) => void;
}

export class Recipes {
  readonly #world: World;
  readonly #admin: AdminClient;
  readonly #steps: RecipeSteps;
  readonly #random: Random;
  #backup: readonly JsonObject[] = [];
  #isOver = false;

  constructor(world: World, admin: AdminClient, steps: RecipeSteps) {
    this.#world = world;
    this.#admin = admin;
    this.#steps = steps;
    this.#random = world.random('recipes');
  }

  follow(recipe: Recipe, name: string): void {
    switch (recipe) {
      case 'take off its host':
        return this.#takeOff(name);
      case 'delete and create again':
        this.#steps.drop(name);
        return this.#createOnceGone(name, goneLooksMax);
      case 'restore from a backup':
        return this.#restore(name);
      case 'make it like one of the older provider':
        return this.#admin.patchMachine(name, {
          metadata: { annotations: { [annotations.host.key]: null } },
        });
      case 'back up MacHosts':
        this.#backup = this.#admin.hosts();
        return;
      case 'restore MacHosts':
        return this.#restoreHosts();
      case 'pause the Cluster':
        return this.#pauseCluster();
    }
  }

  end(): void {
    this.#isOver = true;
    this.#endPause();
  }

  /** Seed 002 by hand. Some people delete the machine at the end, some undo the first steps, some forget the rest. */
  #takeOff(name: string): void {
    this.#steps.pause(name);
    const clearAfter = wholeBetween(this.#random, 0, 5) * minute;
    const endAfter = clearAfter + wholeBetween(this.#random, 0, 90) * minute;
    const end = oneOf(this.#random, ['delete', 'delete', 'unpause', 'forget'] as const);
    this.#later(clearAfter, () => this.#steps.clear(name));
    if (end === 'delete') this.#later(endAfter, () => this.#steps.drop(name));
    if (end === 'unpause') this.#later(endAfter, () => this.#steps.unpause(name));
  }

  #createOnceGone(name: string, looks: number): void {
    if (looks === 0) return;
    if (this.#admin.machine(name) === undefined) return this.#steps.want(name);
    this.#later(goneLookMs, () => this.#createOnceGone(name, looks - 1));
  }

  /** A backup brings back spec, annotations and finalizers, under another uid and without status. */
  #restore(name: string): void {
    const stored = this.#admin.machine(name);
    if (stored === undefined) return;
    const { annotations: marks = {}, finalizers = [] } = fieldsOf(stored['metadata']);
    this.#steps.force(name);
    const machine = machineOf(name, this.#admin);
    const metadata = { ...fieldsOf(machine['metadata']), annotations: marks, finalizers };
    this.#admin.createMachine({ ...machine, metadata, spec: stored['spec'] ?? {} });
  }

  /** MacHosts of the backup replace those of today; hosts that came later keep theirs. */
  #restoreHosts(): void {
    const ids = this.#backup.map(nameOf);
    this.#steps.loseHosts(ids);
    for (const host of this.#backup) {
      const { apiVersion = '', kind = '', spec = {} } = host;
      const { annotations: marks = {} } = fieldsOf(host['metadata']);
      this.#admin.createHost({
        apiVersion,
        kind,
        metadata: { name: nameOf(host), annotations: marks },
        spec,
      });
    }
  }

  /** What people have not finished by the end is dropped. */
  #later(ms: number, step: () => void): void {
    this.#world.clock.after(ms, () => {
      if (!this.#isOver) step();
    });
  }

  #pauseCluster(): void {
    const forMs = wholeBetween(this.#random, 5, 120) * minute;
    this.#admin.patchCluster(clusterName, { spec: { paused: true } });
    this.#later(forMs, () => this.#endPause());
  }

  #endPause(): void {
    this.#admin.patchCluster(clusterName, { spec: { paused: false } });
  }
}

function nameOf({ metadata }: JsonObject): string {
  const { name } = isJsonObject(metadata) ? metadata : {};
  return typeof name === 'string' ? name : '';
}
