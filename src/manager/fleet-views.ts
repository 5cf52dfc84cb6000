/** Which machines live and which names are ours, as the caches have it, or as it is stored at this moment. */
import type { FleetView } from '../fleet/host-situation.ts';
import { hostOf, machines, type MacHostObject, type MachineObject } from '../fleet/objects.ts';
import { poolPrefixOf } from '../fleet/release-policy.ts';
import { freshRead } from '../runtime/controller/fresh-read.ts';
import type { Informer } from '../runtime/informer/informer.ts';
import type { KubeClient } from '../runtime/kube/client.ts';
import type { FleetSettings } from './fleet-settings.ts';

export class FleetViews {
  readonly #client: KubeClient;
  readonly #machines: Informer<MachineObject>;
  readonly #settings: FleetSettings;

  /** The cache has its machines by host, under the index `host`. */
  constructor(client: KubeClient, cache: Informer<MachineObject>, settings: FleetSettings) {
    this.#client = client;
    this.#machines = cache;
    this.#settings = settings;
  }

  cached(): FleetView {
    const { defaultPoolPrefix, claimPrefix } = this.#settings;
    const own = this.#machines.all().flatMap(({ spec }) => poolPrefixOf(spec?.adoptPoolPrefix, '') ?? []);
    const fallback = poolPrefixOf(undefined, defaultPoolPrefix) ?? [];
    return {
      poolPrefixes: [...new Set([...own, fallback].flat())],
      claimPrefix,
      isLive: (claim, hostId) =>
        this.#machines.find('host', hostId).some(({ metadata }) => metadata.uid === claim.uid),
    };
  }

  async fresh({ spec }: MacHostObject): Promise<FleetView> {
    const { claim } = spec ?? {};
    if (claim === undefined) return this.cached();
    const { namespace, name } = claim;
    const { object } = await freshRead(this.#client, machines, { namespace, name });
    return {
      ...this.cached(),
      isLive: ({ uid }, hostId) => object?.metadata.uid === uid && hostOf(object) === hostId,
    };
  }
}
