/**
 * Macs that somebody owns: a fixed list, behind the same port as rented ones. A reinstall is a command of theirs; names,
 * and that a wipe was begun, are kept in a store, because a process that dies in the middle of a wipe must not find its
 * host ready afterwards.
 */
import type { FleetError } from '../../errors/fleet-error.ts';
import type { OperatingSystem, Provider, Server, ServerAddress, SshKeys } from '../port.ts';
import type { Secret } from '../../runtime/secret.ts';
import { providerFailure } from '../provider-failure.ts';

export interface StaticHost extends ServerAddress {
  /** Its name until somebody gives it another. */
  readonly name: string;
  readonly type: string;
  readonly ip: string;
  /** What the wipe leaves on it. */
  readonly os: OperatingSystem;
  readonly sshUsername: string;
  readonly sudoPassword: Secret | undefined;
}

/** What is kept about a host, beyond the list. */
export interface HostNote {
  readonly name?: string;
  readonly isBeingWiped?: boolean;
}

export interface NoteStore {
  read(): Promise<ReadonlyMap<string, HostNote>>;
  /** Durable once it resolves. */
  write(id: string, note: HostNote): Promise<void>;
}

export interface WipeHook {
  /** Runs the command that wipes a host; resolves when it is wiped and up again, rejects when it may not be. */
  wipe(host: StaticHost): Promise<void>;
}

export interface StaticPorts {
  readonly notes: NoteStore;
  readonly hook: WipeHook;
  /** Told when a wipe failed; the host shows it as `error`. */
  readonly onWipeFailed: (failure: FleetError) => void;
}

export class StaticProvider implements Provider {
  readonly sshKeys: SshKeys;
  readonly #hosts: readonly StaticHost[];
  readonly #ports: StaticPorts;
  /** Hosts whose command this process has begun. */
  readonly #wiping = new Set<string>();
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(hosts: readonly StaticHost[], ports: StaticPorts) {
    this.#hosts = hosts;
    this.#ports = ports;
    const refuse = (): Promise<never> => unsupported('keeping SSH keys');
    this.sshKeys = { list: refuse, register: refuse, delete: refuse };
  }

  async listServers(zone: string): Promise<readonly Server[]> {
    const inZone = this.#inZone(zone);
    const notes = await this.#ports.notes.read();
    return inZone.map((host) => this.#view(host, notes.get(host.id)));
  }

  async getServer(address: ServerAddress): Promise<Server> {
    const host = this.#host(address);
    return this.#view(host, await this.#note(host));
  }

  async rename(address: ServerAddress, name: string): Promise<void> {
    const host = this.#host(address);
    await this.#change(host, { name });
  }

  async reinstall(address: ServerAddress, osId?: string): Promise<void> {
    const host = this.#host(address);
    if (osId !== undefined && osId !== host.os.id)
      throw providerFailure('rejected', {
        reason: 'OSNotPublished',
        message: `a wipe of ${host.id} leaves ${host.os.name} on it, and nothing else`,
      });
    if (this.#wiping.has(host.id))
      throw providerFailure('notYet', {
        reason: 'TransientState',
        message: `${host.id} is being wiped already`,
      });
    this.#wiping.add(host.id);
    try {
      await this.#change(host, { isBeingWiped: true });
    } catch (error) {
      this.#wiping.delete(host.id);
      throw error;
    }
    void this.#wipe(host);
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
    const images = this.#inZone(zone).filter(({ type }) => type === serverType);
    return [...new Map(images.map(({ os }) => [os.id, os])).values()];
  }

  /** The mark is taken away last: whatever fails before leaves the host marked, and so not ready. */
  async #wipe(host: StaticHost): Promise<void> {
    try {
      await this.#ports.hook.wipe(host);
      await this.#change(host, { isBeingWiped: false });
    } catch (error) {
      const message = `the wipe of ${host.id} failed; it stays out of use until one succeeds`;
      this.#ports.onWipeFailed(
        providerFailure('unavailable', { reason: 'WipeFailed', message }, { cause: error }),
      );
    } finally {
      this.#wiping.delete(host.id);
    }
  }

  /** One after another: what is kept is read and written back, and nobody may come in between. */
  async #change(host: StaticHost, change: HostNote): Promise<void> {
    const turn = this.#lastChange.then(async () =>
      this.#ports.notes.write(host.id, { ...(await this.#note(host)), ...change }),
    );
    // The next one goes on however this one ends; its own caller is told.
    this.#lastChange = Promise.allSettled([turn]);
    await turn;
  }

  async #note(host: StaticHost): Promise<HostNote | undefined> {
    return (await this.#ports.notes.read()).get(host.id);
  }

  #inZone(wanted: string): readonly StaticHost[] {
    const hosts = this.#hosts.filter(({ zone }) => zone === wanted);
    if (hosts.length > 0) return hosts;
    const message = `no host of the list is in ${wanted}`;
    throw providerFailure('unavailable', { reason: 'NotFound', message });
  }

  #host({ zone, id }: ServerAddress): StaticHost {
    const host = this.#hosts.find((one) => one.id === id && one.zone === zone);
    if (host !== undefined) return host;
    throw providerFailure('gone', { reason: 'NotFound', message: `there is no host ${id} in ${zone}` });
  }

  #view(host: StaticHost, { name, isBeingWiped = false }: HostNote = {}): Server {
    const status = this.#wiping.has(host.id) ? 'reinstalling' : isBeingWiped ? 'error' : 'ready';
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
}

async function unsupported(what: string): Promise<never> {
  throw providerFailure('rejected', {
    reason: 'Unsupported',
    message: `hosts that are owned and listed have no ${what}`,
  });
}
