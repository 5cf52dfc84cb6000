/**
 * A server made ready for the cases: its CRDs are installed once, and each case gets a namespace of its own.
 * Watches that a case leaves open are closed after it.
 */
import type { Case, Context } from './case.ts';
import { Collection, type Resource } from './collection.ts';
import { contractCrds } from './crds.ts';
import { untilServed } from './until.ts';
import { objectIn } from './kube-object.ts';
import { resources, type ResourceName } from './resources.ts';
import type { Target, WatchHandle } from './target.ts';

export class Harness {
  readonly #target: Target;
  #cases = 0;

  private constructor(target: Target) {
    this.#target = target;
  }

  static async open(target: Target): Promise<Harness> {
    const crds = new Collection(target, resources.crds, '');
    for (const crd of contractCrds) objectIn(await crds.post(crd), 201);
    const { widgets, gadgets, zones, bolts, oldBolts } = resources;
    for (const resource of [widgets, gadgets, zones, bolts, oldBolts]) await untilServed(target, resource);
    return new Harness(target);
  }

  async run(one: Case): Promise<void> {
    const watches: WatchHandle[] = [];
    const context = await this.#freshContext(watches);
    try {
      await one.run(context);
    } finally {
      for (const watch of watches) await watch.close();
    }
  }

  async #freshContext(watches: WatchHandle[]): Promise<Context> {
    this.#cases += 1;
    const suffix = String(this.#cases);
    const namespace = `case-${suffix}`;
    const target: Target = {
      name: this.#target.name,
      request: (request) => this.#target.request(request),
      close: () => this.#target.close(),
      watch: async (path, query) => {
        const watch = await this.#target.watch(path, query);
        watches.push(watch);
        return watch;
      },
    };
    const of = (resource: Resource, where = namespace): Collection => new Collection(target, resource, where);
    const collections = collectionsOf(of);
    objectIn(await collections.namespaces.post(collections.namespaces.draft(namespace)), 201);
    return { target, namespace, suffix, of, ...collections };
  }
}

function collectionsOf(of: (resource: Resource) => Collection): Readonly<Record<ResourceName, Collection>> {
  return {
    namespaces: of(resources.namespaces),
    configMaps: of(resources.configMaps),
    secrets: of(resources.secrets),
    serviceAccounts: of(resources.serviceAccounts),
    pods: of(resources.pods),
    nodes: of(resources.nodes),
    coreEvents: of(resources.coreEvents),
    newEvents: of(resources.newEvents),
    leases: of(resources.leases),
    services: of(resources.services),
    endpoints: of(resources.endpoints),
    endpointSlices: of(resources.endpointSlices),
    deployments: of(resources.deployments),
    roles: of(resources.roles),
    roleBindings: of(resources.roleBindings),
    clusterRoles: of(resources.clusterRoles),
    clusterRoleBindings: of(resources.clusterRoleBindings),
    runtimeClasses: of(resources.runtimeClasses),
    volumeAttachments: of(resources.volumeAttachments),
    crds: of(resources.crds),
    widgets: of(resources.widgets),
    gadgets: of(resources.gadgets),
    zones: of(resources.zones),
    bolts: of(resources.bolts),
    oldBolts: of(resources.oldBolts),
  };
}
