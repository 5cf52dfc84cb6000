/** What the lines of a story act on and read. */
import type { JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { FleetTruth } from '../../workloads/hosts/fleet-truth.ts';
import { usualSettings } from '../../workloads/hosts/manager-process.ts';
import type { DirectApi } from '../../world/direct-api.ts';
import type { Cloud } from '../../../clouds/scaleway/cloud.ts';
import type { Mac } from '../../../clouds/scaleway/mac.ts';
import type { SimProcess } from '../../engine/process.ts';
import type { World } from '../../world/world.ts';
import type { Chronicle } from '../event-log.ts';
import type { Gauges } from './gauges.ts';
import { textOf } from './object-facts.ts';
import type { Setting } from './config.ts';
import type { StoryCloud } from './story-cloud.ts';

export const paths = {
  machines: '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default/scalewayapplesiliconmachines',
  hosts: '/apis/muster.dev/v1alpha1/machosts',
  events: '/api/v1/namespaces/default/events',
  configMaps: '/api/v1/namespaces/default/configmaps',
  owners: '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines',
  leases: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
} as const;

export interface ContextParts {
  readonly world: World;
  readonly setting: Setting;
  readonly cloud: Cloud;
  readonly service: StoryCloud;
  readonly api: DirectApi;
  readonly chronicle: Chronicle;
  readonly gauges: Gauges;
  readonly truth: FleetTruth;
  /** Ids of hosts by their names in the story; a host that is gone keeps its entry. */
  readonly ids: ReadonlyMap<string, string>;
}

export class StoryContext {
  readonly parts: ContextParts;

  constructor(parts: ContextParts) {
    this.parts = parts;
  }

  idOf(host: string): string {
    const id = this.parts.ids.get(host);
    if (id === undefined) throw new Error(`the setting has no host ${host}`);
    return id;
  }

  /** Returns undefined when the server is gone. */
  mac(host: string): Mac | undefined {
    const id = this.idOf(host);
    return this.parts.cloud.macs.find((mac) => mac.id === id);
  }

  macHost(host: string): JsonObject | undefined {
    return this.parts.api.find(`${paths.hosts}/${this.idOf(host)}`);
  }

  changeHost(host: string, change: object): void {
    this.parts.api.change(`${paths.hosts}/${this.idOf(host)}`, change);
  }

  /** Resolves a machine name, or `on mini-1`: the machine whose status names that host. */
  machineName(words: string): string {
    const [, host] = /^on (\S+)$/.exec(words) ?? [];
    if (host === undefined) return words;
    const id = this.idOf(host);
    const found = this.parts.api.list(paths.machines).find((one) => textOf(one, 'status', 'serverID') === id);
    return textOf(found, 'metadata', 'name');
  }

  machine(words: string): JsonObject | undefined {
    const name = this.machineName(words);
    return name === '' ? undefined : this.parts.api.find(`${paths.machines}/${name}`);
  }

  changeMachine(words: string, change: object, subresource = ''): void {
    this.parts.api.change(`${paths.machines}/${this.machineName(words)}${subresource}`, change);
  }

  /** Resolves `the leader` (the holder of the lease) and `the other manager` (a process without the lease). */
  process(words: string): SimProcess {
    const { world, setting } = this.parts;
    const leader = this.leader;
    const other = setting.managers.find((name) => name !== leader) ?? '';
    const name = words === 'the leader' ? leader : words === 'the other manager' ? other : words;
    const process = world.processes.get(name);
    if (process === undefined) throw new Error(`there is no process ${name}`);
    return process;
  }

  get leader(): string {
    return textOf(
      this.parts.api.find(`${paths.leases}/${usualSettings.leaseName}`),
      'spec',
      'holderIdentity',
    ).replace(/#\d+$/, '');
  }
}
