/**
 * Owned Macs from a list, behind the same port as rented ones. A reinstall runs the owner's command. Names and
 * started wipes are kept in a store, because a host must not look ready after its wipe was cut off by a crash.
 *
 * A host is shown as being wiped only once its mark is stored, and no longer than until the store records the end of
 * the wipe.
 */
import type { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { uuid } from '../../../platform/ids.ts';
import type { Random } from '../../../platform/random.ts';
import type { OperatingSystem, Provider, Server, ServerAddress, ServerStatus, SshKeys } from '../port.ts';
import { providerFailure } from '../provider-failure.ts';
import type { HostNote, NoteStore, StaticHost } from './static-host.ts';
import { Wipes, type WipeHook } from './wipes.ts';

export interface StaticPorts {
  /** The current list. An unusable list is a failure, never an empty list. */
  readonly hosts: () => Promise<readonly StaticHost[]>;
  readonly notes: NoteStore;
  readonly hook: WipeHook;
  /** Checked again just before a wipe begins. */
  readonly mayAct: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each wipe that failed or was found cut off. The host's status shows that, too. */
  readonly onTrouble: (failure: FleetError) => void;
}

export class StaticProvider implements Provider {
  readonly sshKeys: SshKeys;
  readonly #ports: StaticPorts;
  readonly #wipes: Wipes;
  /** Cut-off wipes that were reported. */
  readonly #reported = new Set<string>();

  constructor(ports: StaticPorts) {
    this.#ports = ports;
    this.#wipes = new Wipes(ports);
    const refuse = (): Promise<never> => unsupported('keeping SSH keys');
    this.sshKeys = { list: refuse, register: refuse, delete: refuse };
  }

  async listServers(zone: string): Promise<readonly Server[]> {
    const inZone = await this.#inZone(zone);
    const view = await this.#viewer();
    return inZone.map(view);
  }

  async getServer(address: ServerAddress): Promise<Server> {
    const host = await this.#host(address);
    const view = await this.#viewer();
    const server = view(host);
    if (server.status === 'reinstalling') this.#wipes.seen(host.id);
    return server;
  }

  async rename(address: ServerAddress, name: string): Promise<void> {
    const { id } = await this.#host(address);
    await this.#ports.notes.change(id, (before) => ({ ...before, name }));
  }

  async reinstall(address: ServerAddress, osId?: string): Promise<void> {
    const host = await this.#host(address);
    if (osId !== undefined && osId !== host.os.id)
      throw providerFailure('rejected', {
        reason: 'OSNotPublished',
        message: `a wipe of ${host.id} installs ${host.os.name} and no other image`,
      });
    const { clock, random } = this.#ports;
    // The time is for people; the uuid makes the mark unique.
    await this.#wipes.begin(host, `${new Date(clock.now()).toISOString()} ${uuid(random)}`);
  }

  reboot(): Promise<void> {
    return unsupported('rebooting');
  }

  delete(): Promise<void> {
    return unsupported('ending a rent');
  }

  scheduleDeletion(): Promise<void> {
    return unsupported('ending a rent');
  }

  async listOs(zone: string, serverType: string): Promise<readonly OperatingSystem[]> {
    const images = (await this.#inZone(zone)).filter(({ type }) => type === serverType);
    return [...new Map(images.map(({ os }) => [os.id, os])).values()];
  }

  /** Cuts off running wipes and starts no other. */
  close(): Promise<void> {
    return this.#wipes.close();
  }

  async #inZone(wanted: string): Promise<readonly StaticHost[]> {
    const all = await this.#ports.hosts();
    const hosts = all.filter(({ zone }) => zone === wanted);
    if (hosts.length > 0) return hosts;
    const zones = [...new Set(all.map(({ zone }) => zone))].join(', ');
    const message = `no host of the list is in the zone ${wanted}; there are ${zones}`;
    throw providerFailure('unavailable', { reason: 'NotFound', message });
  }

  async #host({ zone, id }: ServerAddress): Promise<StaticHost> {
    const host = (await this.#ports.hosts()).find((one) => one.id === id && one.zone === zone);
    if (host !== undefined) return host;
    throw providerFailure('gone', { reason: 'NotFound', message: `there is no host ${id} in ${zone}` });
  }

  /** A wipe that ran when the notes were requested counts as running: its note may be removed a moment later. */
  async #viewer(): Promise<(host: StaticHost) => Server> {
    const before = this.#wipes.shown();
    const notes = await this.#ports.notes.read();
    return (host) => {
      const note = notes.get(host.id) ?? {};
      const isBeingWiped = before.has(host.id) || this.#wipes.shown().has(host.id);
      return viewOf(host, note, isBeingWiped ? 'reinstalling' : this.#rest(host, note));
    };
  }

  /** For a host that this process does not wipe. */
  #rest(host: StaticHost, { wipe, failure }: HostNote): ServerStatus {
    if (wipe === undefined) return 'ready';
    if (failure !== undefined) return 'error';
    if (!this.#wipes.isBeginning(host.id) && !this.#reported.has(wipe)) {
      this.#reported.add(wipe);
      const message = `the wipe of ${host.id} that began at ${wipe} was cut off; the host is not used until a wipe succeeds`;
      this.#ports.onTrouble(providerFailure('unavailable', { reason: 'WipeFailed', message }));
    }
    return 'interrupted';
  }
}

function viewOf(host: StaticHost, { name }: HostNote, status: ServerStatus): Server {
  return {
    ...host,
    name: name ?? host.name,
    status,
    statusText: status,
    delivered: true,
    deletableAt: undefined,
    deletionScheduled: false,
    vncUrl: undefined,
  };
}

async function unsupported(what: string): Promise<never> {
  throw providerFailure('rejected', {
    reason: 'Unsupported',
    message: `owned hosts do not support ${what}`,
  });
}
