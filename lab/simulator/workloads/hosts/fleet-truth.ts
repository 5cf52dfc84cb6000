/** The true state of the fleet: objects as stored, Macs as they are, and the invariants between them. */
import { usualPoolPrefix } from '../../../../src/api/names/host-names.ts';
import type { Json, JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { ApiRequest } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import type { LiveView } from '../../world/live-view.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import type { Cloud } from '../../../clouds/scaleway/cloud.ts';
import type { Mac } from '../../../clouds/scaleway/mac.ts';
import type { World } from '../../world/world.ts';
import { machineNames } from './machine-objects.ts';
import { fieldsOf, hostIn, machineIn, type Host, type Machine } from './stored-objects.ts';

const machinesPath = '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/scalewayapplesiliconmachines';
/** The API serves a new kind only some time after its definition. */
const servedAfterMs = 2000;

/** A host may end a run in one of these; the rent of one that was given up may last longer than the run. */
const restful: ReadonlySet<string> = new Set(['Owned', 'Pooled', 'Foreign', 'Terminating']);
const premises = {
  stranded: 'a host was stranded',
  waited: 'a machine waited for a host',
  reclaimed: 'a stranded host was taken back',
} as const;

export interface Conflict {
  readonly host: Host;
  readonly machine: Machine;
}

export class FleetTruth {
  readonly premises: readonly string[] = Object.values(premises);
  readonly #world: World;
  readonly #cloud: Cloud;
  #machines: LiveView | undefined;
  #hosts: LiveView | undefined;
  readonly #foreign = new Set<string>();
  /** By host: since when it has had a name that a person gave it. */
  readonly #renamedAt = new Map<string, number>();
  readonly #personNames = new Map<string, { readonly name: string; readonly at: number }>();
  #looked = -1;

  /** `foreign`: the ids of the servers that are not ours. */
  constructor(world: World, cloud: Cloud, foreign: readonly string[]) {
    this.#world = world;
    this.#cloud = cloud;
    world.clock.after(servedAfterMs, () => {
      this.#machines = world.kube.view(machinesPath);
      this.#hosts = world.kube.view('/apis/muster.dev/v1alpha1/machosts');
    });
    for (const id of foreign) this.#foreign.add(id);
  }

  get machines(): readonly Machine[] {
    return (this.#machines?.objects ?? []).map(machineIn);
  }

  get hosts(): readonly Host[] {
    return (this.#hosts?.objects ?? []).map(hostIn);
  }

  get changes(): number {
    return (this.#machines?.changes ?? 0) + (this.#hosts?.changes ?? 0);
  }

  mac(id: string): Mac | undefined {
    return this.#cloud.macs.find((mac) => mac.id === id);
  }

  /** The Mac that serves a machine and carries its name. */
  macOf(name: string): Mac | undefined {
    const machine = this.machines.find((one) => one.name === name && !one.isDeleting);
    const mac = machine === undefined ? undefined : this.mac(machine.serverId);
    return mac?.name === name ? mac : undefined;
  }

  /** Called when a write reaches the cloud, at the instant at which it is done. */
  arriving(request: ApiRequest): void {
    if (!('id' in request) || request.what === 'get server' || request.what === 'delete key') return;
    if (this.#foreign.has(request.id))
      this.#world.violate('S5', `${request.what} of a host that is not ours`);
    // The server has a name of ours from now on, which ends the effect of a person's rename.
    if (request.what === 'update server') this.#renamedAt.delete(request.id);
    const owner = this.machines.find(({ serverId, isDeleting }) => serverId === request.id && !isDeleting);
    if (owner === undefined) return;
    const isOwnName = request.what === 'update server' && request.name === owner.name;
    if (!isOwnName) this.#world.violate('S3', `${request.what} of the host of ${owner.name}, which lives`);
  }

  /** The machine that stays and has this server, or had it before a person cleared its server id. */
  tenantOf(id: string): Machine | undefined {
    const host = this.hosts.find((one) => one.id === id);
    const holder = host?.release === undefined ? host?.claimUid : undefined;
    return this.machines.find((one) => !one.isDeleting && (one.serverId === id || one.uid === holder));
  }

  /**
   * The machine that stays and whose reference to this server was cleared: unpaused, that machine takes the server
   * back.
   */
  formerTenantOf(id: string): Machine | undefined {
    return this.machines.find(
      ({ isDeleting, serverId, providerServerId }) =>
        !isDeleting && serverId === '' && providerServerId === id,
    );
  }

  /**
   * Machines that wait because a server has their name, while its MacHost, which was restored, knows of no owner of that name.
   * A person has to say whose the server is.
   */
  conflicts(): readonly Conflict[] {
    return this.machines.flatMap((machine) => {
      if (machine.isDeleting || machine.serverId !== '' || machine.providerServerId !== '') return [];
      const host = this.hosts.find(({ id }) => this.mac(id)?.name === machine.name);
      if (host === undefined || host.release !== undefined || host.isHeld) return [];
      const { lastOwnerName, firstSeenName } = host;
      const isKnown = lastOwnerName === '' ? firstSeenName === machine.name : lastOwnerName === machine.name;
      return isKnown ? [] : [{ host, machine }];
    });
  }

  isForeign(id: string): boolean {
    return this.#foreign.has(id);
  }

  renamed(id: string, isPooled: boolean): void {
    if (isPooled) this.#renamedAt.delete(id);
    else this.#renamedAt.set(id, this.#world.clock.now());
  }

  /** A person gave the server this name, which no tool gives. */
  namedByPerson(id: string, name: string): void {
    this.#personNames.set(id, { name, at: this.#world.clock.now() });
  }

  personName(id: string): { readonly name: string; readonly at: number } | undefined {
    return this.#personNames.get(id);
  }

  serverNames(): readonly string[] {
    return this.#cloud.macs.map(({ name }) => name);
  }

  /** True when no live machine has the host, claims it, or has its name. */
  isUnowned({ id, claimUid }: Host): boolean {
    const name = this.mac(id)?.name;
    return !this.machines.some((one) => one.serverId === id || one.uid === claimUid || one.name === name);
  }

  /** Returns what prevents the quiescent state. */
  missing(): string | undefined {
    const unserved = machineNames.find((name) => this.macOf(name) === undefined);
    if (unserved !== undefined) return `${unserved} has no host of its name; ${this.#picture()}`;
    const idle = this.hosts.find(({ state }) => !restful.has(state));
    if (idle !== undefined) return `the host ${idle.id} is ${idle.state}`;
    const unnamed = this.#cloud.macs.find(({ name, id }) => !this.#isAtHome(name, id));
    return unnamed === undefined ? undefined : `a server is still called ${unnamed.name}`;
  }

  /** The whole state in a line, for debugging. */
  #picture(): string {
    const machines = this.machines.map(
      ({ name, serverId, isDeleting }) =>
        `${name} ${isDeleting ? 'leaves' : 'has'} ${serverId.slice(0, 8) || 'nothing'}`,
    );
    const hosts = this.hosts.map(({ id, state }) => {
      const mac = this.mac(id);
      return `${id.slice(0, 8)} is ${state} and called ${mac?.name ?? 'nothing'}`;
    });
    return [...machines, ...hosts].join(', ');
  }

  invariants(): readonly Invariant[] {
    return [
      this.#whenChanged('S1', 'a host serves at most one machine', () => this.#sharedHost()),
      this.#whenChanged(
        'S2',
        'a machine holds at most one host, and no two servers have its name',
        () => this.#secondHost() ?? this.#secondServer(),
      ),
    ];
  }

  #isAtHome(name: string, id: string): boolean {
    return name.startsWith(usualPoolPrefix) || machineNames.includes(name) || this.#foreign.has(id);
  }

  #whenChanged(id: string, says: string, check: () => string | undefined): Invariant {
    let looked = -1;
    return {
      id,
      says,
      when: 'each',
      check: () => {
        if (looked === this.changes) return undefined;
        looked = this.changes;
        this.#notePremises();
        return check();
      },
    };
  }

  #sharedHost(): string | undefined {
    const served = this.machines.filter(({ serverId }) => serverId !== '');
    const twice = served.find((one) =>
      served.some((other) => other !== one && other.serverId === one.serverId && other.uid !== one.uid),
    );
    return twice === undefined ? undefined : `two machines say that they have ${twice.serverId}`;
  }

  #secondHost(): string | undefined {
    const held = this.hosts.filter(
      ({ claimUid, release }) => claimUid !== undefined && release === undefined,
    );
    const twice = held.find((one) =>
      held.some((other) => other.id !== one.id && other.claimUid === one.claimUid),
    );
    return twice === undefined ? undefined : `one machine holds ${twice.id} and another host`;
  }

  /** People may give two servers one name; a manager that does so would give a machine two hosts. */
  #secondServer(): string | undefined {
    const names = new Set(this.machines.map(({ name }) => name));
    const twice = [...Map.groupBy(this.#cloud.macs, ({ name }) => name)].find(
      ([name, macs]) => macs.length > 1 && names.has(name) && !macs.some(({ id }) => this.#renamedAt.has(id)),
    );
    return twice === undefined ? undefined : `${twice[1].length} servers are called ${twice[0]}`;
  }

  #notePremises(): void {
    if (this.#looked === this.changes) return;
    this.#looked = this.changes;
    const happened = (premise: string): void => this.#world.reachability.happened(`premise ${premise}`);
    for (const { state } of this.hosts) if (state === 'Stranded') happened(premises.stranded);
    if (this.#hosts?.objects.some(isSwept) === true) happened(premises.reclaimed);
    if (this.#machines?.objects.some(isWaiting) === true) happened(premises.waited);
  }
}

function isSwept({ spec }: JsonObject): boolean {
  return fieldsOf(fieldsOf(spec)['release'])['orderedBy'] === 'sweep';
}

function isWaiting({ status }: JsonObject): boolean {
  const { conditions } = fieldsOf(status);
  return (
    Array.isArray(conditions) && conditions.some((one: Json) => fieldsOf(one)['reason'] === 'NoAvailableHost')
  );
}
