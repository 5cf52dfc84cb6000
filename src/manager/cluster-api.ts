/**
 * Reads Clusters of Cluster API in the best version that the server has. A missing Cluster API is no failure, and an
 * older version is read in its own form.
 */
import {
  clusterApiGroup,
  clustersIn,
  clusterVersions,
  type ClusterVersion,
  type FoundCluster,
} from '../hosts/state/cluster-objects.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { Place } from '../kube/client/kube-object.ts';

/** Cluster API may be installed or upgraded while the manager runs. */
const rememberedMs = 60_000;

export class ClusterApi {
  readonly #client: KubeClient;
  readonly #now: () => number;
  #served: { readonly version: ClusterVersion | undefined; readonly until: number } | undefined;

  constructor(client: KubeClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** Reads past the cache. */
  async find(place: Place): Promise<FoundCluster | undefined> {
    const version = await this.#version();
    if (version === undefined) return undefined;
    const object = await this.#client.find(clustersIn(version), place);
    return object && { version, object };
  }

  async #version(): Promise<ClusterVersion | undefined> {
    if (this.#served !== undefined && this.#served.until > this.#now()) return this.#served.version;
    const versions = await this.#client.versionsOf(clusterApiGroup);
    const version = clusterVersions.find((one) => versions.includes(one));
    this.#served = { version, until: this.#now() + rememberedMs };
    return version;
  }
}
