/**
 * People: they request machines and drop them at the worst moments, not always by the documented way. They hold hosts,
 * lose objects, order releases from computers with wrong clocks, follow recipes half-way, and work at the provider's
 * console.
 */
import { annotations, terminatePolicy } from '../../../../src/api/names/annotations.ts';
import { usualPoolPrefix } from '../../../../src/api/names/host-names.ts';
import type { JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { Random } from '../../../../src/platform/random.ts';
import { oneOf, wholeBetween } from '../../engine/random-streams.ts';
import type { World } from '../../world/world.ts';
import {
  consoleDeeds,
  premiseOf as premiseOfConsole,
  type Console,
  type ConsoleDeed,
} from './cloud-console.ts';
import type { Conflict } from './fleet-truth.ts';
import type { AdminClient } from './admin-client.ts';
import { machineNames, machineOf } from './machine-objects.ts';
import { recipes, Recipes, type Recipe } from './recipes.ts';
import { fieldsOf, machineIn, type Machine } from './stored-objects.ts';

/** A server that a person still sets up, and a server of another cluster. */
export const foreignNames: readonly string[] = ['apple-silicon-nightly', 'other-cluster-runners-1'];

const changesPerHour = 20;
const minute = 60_000;
const clockOffMs = 10 * minute;

const machineDeeds = ['want', 'drop', 'force', 'again', 'terminate', 'clear', 'pause', 'unpause'] as const;
const orderDeeds = ['order', 'order in use', 'order unclaimed'] as const;
const hostDeeds = ['hold', 'unhold', 'lose', 'lose all', ...orderDeeds] as const;
type OrderDeed = (typeof orderDeeds)[number];
type MachineDeed = (typeof machineDeeds)[number];
type HostDeed = (typeof hostDeeds)[number];
type Deed = MachineDeed | HostDeed | ConsoleDeed | Recipe;

/** Documented deeds are drawn often, and all others sometimes. */
const drawn: readonly Deed[] = [
  ...Array.from({ length: 16 }, () => 'want' as const),
  ...Array.from({ length: 12 }, () => 'drop' as const),
  ...machineDeeds,
  ...hostDeeds,
  ...consoleDeeds,
  ...recipes,
  'take off its host',
];

export const premises: readonly string[] = [
  ...[...machineDeeds, ...hostDeeds, ...recipes].map(premiseOf),
  ...consoleDeeds.map(premiseOfConsole),
];

interface SeenHost {
  readonly id: string;
  /** No live machine has the host. */
  readonly isUnowned: boolean;
  readonly state: string;
}

/** What people can see, and what the checkers must know of their deeds. */
export interface PeopleView {
  readonly hosts: () => readonly SeenHost[];
  /** People removed a finalizer, so that no controller returned the host. */
  readonly forced: (name: string) => void;
  readonly lost: (hostId: string) => void;
  /** People removed the hold from a host. */
  readonly unheld: (hostId: string) => void;
  /** People are about to clear the server id of a machine. */
  readonly cleared: (machine: Machine) => void;
  readonly unpaused: (machine: Machine) => void;
  readonly conflicts: () => readonly Conflict[];
}

export interface PeopleParts {
  readonly console: Console;
  readonly admin: AdminClient;
  readonly view: PeopleView;
}

export class People {
  readonly #world: World;
  readonly #admin: AdminClient;
  readonly #console: Console;
  readonly #view: PeopleView;
  readonly #random: Random;
  readonly #recipes: Recipes;

  constructor(world: World, { console, admin, view }: PeopleParts) {
    this.#world = world;
    this.#admin = admin;
    this.#console = console;
    this.#view = view;
    this.#random = world.random('people');
    const step = (deed: MachineDeed) => (name: string) => this.#onMachine(deed, name);
    this.#recipes = new Recipes(world, admin, {
      pause: step('pause'),
      unpause: step('unpause'),
      clear: step('clear'),
      drop: step('drop'),
      want: step('want'),
      force: step('force'),
      loseHosts: (ids) => this.#lose(ids),
    });
  }

  /** At the end each machine is wanted, nothing is paused or held, and every server has its name. */
  begin(forMs: number): void {
    const random = this.#random;
    const count = Math.max(8, Math.floor((forMs / 3_600_000) * changesPerHour));
    for (let round = 0; round < count; round += 1) {
      const name = oneOf(random, machineNames);
      const deed = oneOf(random, drawn);
      const aboutHost = random.next();
      this.#world.clock.after(Math.floor(random.next() * forMs * 0.85), () =>
        this.#do(deed, { name, aboutHost }),
      );
    }
    const settleAt = Math.floor(forMs * 0.9);
    this.#world.clock.after(settleAt, () => this.#tidyUp());
    for (const name of machineNames) this.#world.clock.after(settleAt + minute, () => this.#settle(name));
  }

  #tidyUp(): void {
    this.#recipes.end();
    this.#tidyHosts();
    // The delivery of a new server takes a while, and another server may have been scheduled for deletion meanwhile.
    this.#world.clock.after(60 * minute, () => this.#tidyHosts());
  }

  #tidyHosts(): void {
    for (const { id } of this.#view.hosts()) this.#unhold(id);
    this.#console.tidyUp();
  }

  /** A machine that is still being deleted, or whose server is gone, is requested again a little later. */
  #settle(name: string): void {
    this.#onMachine('unpause', name);
    this.#onMachine('want', name);
    const machine = this.#admin.machine(name);
    const isThere = machine !== undefined && fieldsOf(machine['metadata'])['deletionTimestamp'] === undefined;
    if (isThere && this.#hasLostServer(machine)) this.#onMachine('drop', name);
    if (!isThere || this.#hasLostServer(machine)) this.#world.clock.after(minute, () => this.#settle(name));
    else this.#world.clock.after(30 * minute, () => this.#settleOnce(name));
  }

  /** The effects of earlier deeds may appear only after the first settling. */
  #settleOnce(name: string): void {
    this.#endConflicts();
    const machine = this.#admin.machine(name);
    if (machine === undefined || this.#hasLostServer(machine)) this.#settle(name);
  }

  #hasLostServer(object: JsonObject): boolean {
    const { serverId, providerServerId } = machineIn(object);
    const servedBy = serverId === '' ? providerServerId : serverId;
    return servedBy !== '' && !this.#console.knows(servedBy);
  }

  #unhold(id: string): void {
    this.#view.unheld(id);
    this.#admin.patchHost(id, { spec: { hold: null } });
  }

  #do(deed: Deed, about: { readonly name: string; readonly aboutHost: number }): void {
    if (isOneOf(consoleDeeds, deed)) {
      this.#console.do(deed);
      this.#console.replenish();
      return;
    }
    this.#world.reachability.happened(`premise ${premiseOf(deed)}`);
    if (isOneOf(hostDeeds, deed)) this.#onHost(deed, about.aboutHost);
    else if (isOneOf(recipes, deed)) this.#recipes.follow(deed, about.name);
    else this.#onMachine(deed, about.name);
  }

  #onMachine(deed: MachineDeed, name: string): void {
    const admin = this.#admin;
    switch (deed) {
      case 'want':
        return admin.createMachine(machineOf(name, admin));
      case 'drop':
        return admin.deleteMachine(name);
      case 'force':
      case 'again':
        // By hand, against the documentation: the finalizer is removed, and no controller returns the host.
        this.#view.forced(name);
        admin.deleteMachine(name);
        admin.patchMachine(name, { metadata: { finalizers: null } });
        return deed === 'again' ? admin.createMachine(machineOf(name, admin)) : undefined;
      case 'terminate':
        admin.patchMachine(name, {
          metadata: { annotations: { [annotations.releasePolicy.key]: terminatePolicy } },
        });
        return admin.deleteMachine(name);
      case 'clear':
        this.#withMachine(name, (machine) => this.#view.cleared(machine));
        return admin.patchMachineStatus(name, { status: { serverID: '' } });
      case 'pause':
        return admin.patchMachine(name, { metadata: { annotations: { [annotations.paused.key]: '' } } });
      case 'unpause':
        this.#withMachine(name, (machine) => this.#view.unpaused(machine));
        return admin.patchMachine(name, { metadata: { annotations: { [annotations.paused.key]: null } } });
    }
  }

  #withMachine(name: string, report: (machine: Machine) => void): void {
    const object = this.#admin.machine(name);
    if (object !== undefined) report(machineIn(object));
  }

  #onHost(deed: HostDeed, chance: number): void {
    const hosts = this.#view.hosts();
    const host = hosts[Math.floor(chance * hosts.length)];
    if (host === undefined) return;
    if (isOneOf(orderDeeds, deed)) return this.#order(deed);
    switch (deed) {
      case 'hold':
        return this.#admin.patchHost(host.id, {
          spec: { hold: { reason: 'a look', since: this.#stamp(0) } },
        });
      case 'unhold':
        return hosts.forEach(({ id }) => this.#unhold(id));
      case 'lose':
        return this.#lose([host.id]);
      case 'lose all':
        return this.#lose(hosts.map(({ id }) => id));
    }
  }

  #lose(ids: readonly string[]): void {
    for (const id of ids) {
      this.#view.lost(id);
      this.#admin.deleteHost(id);
    }
  }

  /**
   * As `muster release` would write it, by the clock of the operator's computer; or on the wrong object, which that
   * command would refuse; or from an outdated copy of the object without an owner.
   */
  #order(deed: OrderDeed): void {
    const isMeant = ({ state, isUnowned }: SeenHost): boolean =>
      deed === 'order' ? state === 'Stranded' && isUnowned : !isUnowned;
    const host = this.#view.hosts().find(isMeant);
    if (host === undefined) return;
    const orderedAt = this.#stamp(wholeBetween(this.#random, -clockOffMs, clockOffMs));
    const release = {
      policy: 'pool',
      poolPrefix: usualPoolPrefix,
      orderedBy: 'person: tidying up',
      orderedAt,
    };
    const unclaimed = deed === 'order unclaimed' ? { claim: null, used: null } : {};
    this.#admin.patchHost(host.id, { spec: { ...unclaimed, release } });
  }

  /** As `muster release --force` writes it: the order names the claims that it overrules. */
  #endConflicts(): void {
    for (const { host, machine } of this.#view.conflicts()) {
      const by = ['name', ...(machine.annotatedServerId === host.id ? ['annotation'] : [])];
      const overrules = [{ uid: machine.uid, by }];
      const order = {
        policy: 'pool',
        poolPrefix: usualPoolPrefix,
        orderedBy: 'person: a stand-off',
        overrules,
      };
      this.#admin.patchHost(host.id, {
        spec: { release: { ...order, orderedAt: this.#stamp(0), serverName: machine.name } },
      });
    }
  }

  #stamp(offMs: number): string {
    return new Date(this.#world.clock.now() + offMs).toISOString();
  }
}

function premiseOf(deed: MachineDeed | HostDeed | Recipe): string {
  return `somebody at the keyboard: ${deed}`;
}

function isOneOf<T extends string>(list: readonly T[], word: string): word is T {
  return list.some((one) => one === word);
}
