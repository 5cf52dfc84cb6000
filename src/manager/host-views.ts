/** Views of host ownership and of the names that belong to Muster, from the caches or from the API server. */
import { isPoolName } from '../api/names/host-names.ts';
import { fleetViewOf } from '../hosts/state/host-view.ts';
import { goneStatus, type HostRecord } from '../hosts/state/host-record.ts';
import type { FleetView } from '../hosts/state/host-state.ts';
import { hostsOf, machines, type MacHostObject, type MachineObject } from '../hosts/state/objects.ts';
import { hostIdsIn, ownershipOf } from '../hosts/state/ownership.ts';
import { soundPrefix } from '../hosts/state/pool-prefix.ts';
import { poolPrefixOf } from '../hosts/state/release-policy.ts';
import { freshList, freshRead } from '../kube/reconciler/fresh-read.ts';
import type { Informer } from '../kube/informer/informer.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { FleetSettings } from './host-settings.ts';

/** The machines under the indexes `host`, `name` and `uid`. */
type MachineCache = Pick<Informer<MachineObject>, 'all' | 'find'>;
/** The hosts under the index `name`. */
type HostCache = Pick<Informer<MacHostObject>, 'find'>;
type NameRules = Pick<FleetSettings, 'defaultPoolPrefix' | 'claimPrefix' | 'allowedPoolPrefixes'>;

export interface ViewCaches {
  readonly machines: MachineCache;
  readonly hosts: HostCache;
}

export class FleetViews {
  readonly #client: KubeClient;
  readonly #caches: ViewCaches;
  readonly #settings: NameRules;

  constructor(client: KubeClient, caches: ViewCaches, settings: NameRules) {
    this.#client = client;
    this.#caches = caches;
    this.#settings = settings;
  }

  cached(): FleetView {
    return {
      ...this.#rules(this.#caches.machines.all()),
      ownershipOf: (host) => ownershipOf(host, this.#speakersFor(host)),
      serversCalled: (name) => this.#serversCalled(name),
    };
  }

  /** Whether a new MacHost counts as used. Anyone may write a providerID, so it is no proof against a pool name. */
  isSpokenFor({ id, name }: { readonly id: string; readonly name: string }): boolean {
    const { machines: cache } = this.#caches;
    if (cache.find('name', name).length > 0) return true;
    const speakers = cache.find('host', id);
    if (speakers.some((machine) => hostsOf(machine).includes(id))) return true;
    return speakers.length > 0 && !this.#isPoolName(name);
  }

  #isPoolName(name: string): boolean {
    const { poolPrefixes } = this.#rules(this.#caches.machines.all());
    return poolPrefixes.some((prefix) => isPoolName(name, prefix));
  }

  /** Reads every machine: only a complete list shows a machine that is not in the caches yet. */
  async complete(): Promise<FleetView> {
    const all = await freshList(this.#client, machines);
    const view = fleetViewOf({ hosts: [], machines: all }, this.#rules(all));
    return { ...view, serversCalled: (name) => this.#serversCalled(name) };
  }

  /** The cached view, with the machines that speak for one host read again. */
  async fresh(host: MacHostObject, record: HostRecord): Promise<FleetView> {
    const cached = this.#speakersFor(record).map(({ metadata }) => placeOf(metadata));
    const { claim } = host.spec ?? {};
    const places = new Map([...cached, ...(claim === undefined ? [] : [placeOf(claim)])]);
    const found = await Promise.all([...places.values()].map((place) => this.#read(place)));
    const speakers = found.filter((machine) => machine !== undefined);
    return {
      ...this.cached(),
      ownershipOf: (other) =>
        ownershipOf(other, other.id === record.id ? speakers : this.#speakersFor(other)),
    };
  }

  #speakersFor({ id, spec, status }: HostRecord): readonly MachineObject[] {
    const { machines: cache } = this.#caches;
    const { name = '' } = status.observed ?? {};
    return [
      ...new Set([
        ...cache.find('host', id),
        ...(name === '' ? [] : cache.find('name', name)),
        ...(spec.claim === undefined ? [] : cache.find('uid', spec.claim.uid)),
      ]),
    ];
  }

  #serversCalled(name: string): readonly string[] {
    if (name === '') return [];
    return this.#caches.hosts
      .find('name', name)
      .filter(({ status }) => status?.observed?.status !== goneStatus)
      .map(({ metadata }) => metadata.name);
  }

  #rules(known: readonly MachineObject[]): Pick<FleetView, 'poolPrefixes' | 'claimPrefix'> {
    const { defaultPoolPrefix, claimPrefix } = this.#settings;
    const own = known.flatMap(({ spec }) => soundPrefix(spec?.adoptPoolPrefix, this.#settings) ?? []);
    const fallback = poolPrefixOf(undefined, defaultPoolPrefix) ?? [];
    return { poolPrefixes: [...new Set([...own, fallback].flat())], claimPrefix };
  }

  async #read(place: MachinePlace): Promise<MachineObject | undefined> {
    const { namespace, name } = place;
    return (await freshRead(this.#client, machines, { namespace, name })).object;
  }
}

interface MachinePlace {
  readonly namespace: string;
  readonly name: string;
}

function placeOf({
  namespace = '',
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): readonly [string, MachinePlace] {
  return [`${namespace}/${name}`, { namespace, name }];
}

/** Indexes machines by the hosts they name. Machines without a host are under the empty name. */
export function indexByHost(machine: MachineObject): readonly string[] {
  const ids = hostIdsIn(machine);
  const has = hostsOf(machine);
  return has.length === 0 ? ['', ...ids] : ids;
}

/** Hosts that have the name of the machine, or whose record names it. */
export function hostsAbout(
  cache: Pick<Informer<MacHostObject>, 'find'>,
  { metadata }: MachineObject,
): readonly MacHostObject[] {
  return [...new Set([...cache.find('uid', metadata.uid), ...cache.find('name', metadata.name)])];
}
