/** The served resources: the built-in ones, and those of CustomResourceDefinitions. */
import type { Resource } from './resource.ts';

type Names = Pick<Resource, 'group' | 'plural'>;

export class Registry {
  readonly #resources = new Map<string, Resource>();
  readonly #leavers = new Map<string, Set<() => void>>();

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) this.#resources.set(path(resource), resource);
  }

  /** Serves exactly these versions of a resource from now on. */
  serve(names: Names, versions: readonly Resource[]): void {
    this.#drop(names);
    for (const version of versions) this.#resources.set(path(version), version);
  }

  /** Removes the resource and calls its `whenWithdrawn` callbacks. */
  withdraw(names: Names): void {
    this.#drop(names);
    const leavers = this.#leavers.get(full(names)) ?? new Set();
    this.#leavers.delete(full(names));
    for (const remove of leavers) remove();
  }

  /** Calls `remove` when the resource is withdrawn; the result cancels that. */
  whenWithdrawn(names: Names, remove: () => void): () => void {
    const leavers = this.#leavers.get(full(names)) ?? new Set();
    this.#leavers.set(full(names), leavers.add(remove));
    return () => void leavers.delete(remove);
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(path({ group, version, plural }));
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()];
  }

  #drop(names: Names): void {
    for (const [key, resource] of this.#resources)
      if (full(resource) === full(names)) this.#resources.delete(key);
  }
}

function path(of: Pick<Resource, 'group' | 'version' | 'plural'>): string {
  return `${of.group}/${of.version}/${of.plural}`;
}

function full({ group, plural }: Names): string {
  return `${group}/${plural}`;
}
