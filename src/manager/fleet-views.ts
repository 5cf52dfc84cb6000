/** Which machines live and which names are ours, as the caches have it, or as it is stored at this moment. */
import type { FleetView } from '../fleet/host-situation.ts';
import {
  hostsOf,
  isHomeOf,
  isServedBy,
  isLeaving,
  machines,
  type MacHostObject,
  type MachineObject,
} from '../fleet/objects.ts';
import { soundPrefix } from '../fleet/pool-prefix.ts';
import { poolPrefixOf } from '../fleet/release-policy.ts';
import { freshRead } from '../runtime/controller/fresh-read.ts';
import type { Informer } from '../runtime/informer/informer.ts';
import type { KubeClient } from '../runtime/kube/client.ts';
import type { FleetSettings } from './fleet-settings.ts';

/** The machines by host, under the index `host`. */
type MachineCache = Pick<Informer<MachineObject>, 'all' | 'find'>;
type NameRules = Pick<FleetSettings, 'defaultPoolPrefix' | 'claimPrefix' | 'allowedPoolPrefixes'>;

export class FleetViews {
  readonly #client: KubeClient;
  readonly #machines: MachineCache;
  readonly #settings: NameRules;

  constructor(client: KubeClient, cache: MachineCache, settings: NameRules) {
    this.#client = client;
    this.#machines = cache;
    this.#settings = settings;
  }

  cached(): FleetView {
    const { defaultPoolPrefix, claimPrefix } = this.#settings;
    const own = this.#machines
      .all()
      .flatMap(({ spec }) => soundPrefix(spec?.adoptPoolPrefix, this.#settings) ?? []);
    const fallback = poolPrefixOf(undefined, defaultPoolPrefix) ?? [];
    return {
      poolPrefixes: [...new Set([...own, fallback].flat())],
      claimPrefix,
      isLive: (claim, hostId) =>
        this.#machines.find('host', hostId).some(({ metadata }) => metadata.uid === claim.uid),
      isStaying: (claim, hostId) =>
        this.#machines
          .find('host', hostId)
          .some((machine) => machine.metadata.uid === claim.uid && !isLeaving(machine)),
      isBound: (claim, hostId) =>
        this.#machines.find('host', hostId).some((machine) => isBoundTo(machine, claim.uid, hostId)),
      isServing: (hostId) =>
        this.#machines.find('host', hostId).some((machine) => isServedBy(machine, hostId)),
      isHome: (hostId) => this.#machines.find('host', hostId).some((machine) => isHomeOf(machine, hostId)),
    };
  }

  isSpokenFor({ id, name }: { readonly id: string; readonly name: string }): boolean {
    return this.#machines
      .all()
      .some((machine) => machine.metadata.name === name || hostsOf(machine).includes(id));
  }

  async fresh({ metadata, spec }: MacHostObject): Promise<FleetView> {
    const { claim } = spec ?? {};
    const claimed = claim && placeText(claim);
    // All that mean it, as far as the cache knows: what they are served by may be written already.
    const others = this.#machines
      .find('host', metadata.name)
      .filter((machine) => placeText(machine.metadata) !== claimed);
    const [object, ...rest] = await Promise.all(
      [claim, ...others.map((machine) => machine.metadata)].map((place) => this.#read(place)),
    );
    return {
      ...this.cached(),
      isLive: ({ uid }, hostId) => object?.metadata.uid === uid && hostsOf(object).includes(hostId),
      isStaying: ({ uid }, hostId) =>
        object?.metadata.uid === uid && hostsOf(object).includes(hostId) && !isLeaving(object),
      isBound: ({ uid }, hostId) => object !== undefined && isBoundTo(object, uid, hostId),
      isServing: (hostId) =>
        [object, ...rest].some((machine) => machine !== undefined && isServedBy(machine, hostId)),
      isHome: (hostId) =>
        [object, ...rest].some((machine) => machine !== undefined && isHomeOf(machine, hostId)),
    };
  }

  async #read(place: MachinePlace | undefined): Promise<MachineObject | undefined> {
    if (place === undefined) return undefined;
    const { namespace = '', name } = place;
    return (await freshRead(this.#client, machines, { namespace, name })).object;
  }
}

interface MachinePlace {
  readonly namespace?: string | undefined;
  readonly name: string;
}

function placeText({ namespace = '', name }: MachinePlace): string {
  return `${namespace}/${name}`;
}

function isBoundTo({ metadata, status }: MachineObject, uid: string, hostId: string): boolean {
  return metadata.uid === uid && status?.serverID === hostId;
}

/** Machines by the hosts they speak of; those without any are found under the empty name. */
export function indexByHost(machine: MachineObject): readonly string[] {
  const ids = hostsOf(machine);
  return ids.length === 0 ? [''] : ids;
}
