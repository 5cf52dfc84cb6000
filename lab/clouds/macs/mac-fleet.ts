/**
 * Simulated Macs behind the servers of a simulated cloud. A Mac is made when somebody first asks for it. Servers have their
 * addresses in 198.18.0.0/15, which nobody owns; the table here leads from these to loopback.
 */
import { Socket } from 'node:net';
import type { MacOptions, MacPorts } from './mac-options.ts';
import { SimulatedMac } from './simulated-mac.ts';

/** What a fleet reads of a server; `Mac` of the simulated Scaleway has all of it. */
export interface FleetServer {
  readonly id: string;
  readonly ip: string;
  /** For sudo. A reinstall draws another. */
  readonly password: string;
  /** What the server is busy with; no SSH server answers then. */
  readonly doing: string | undefined;
}

export interface MacFleetPorts extends MacPorts {
  /** All servers that are rented now. */
  readonly servers: () => readonly FleetServer[];
  /** The public keys of the project, which an installation authorizes. */
  readonly authorizedKeys: () => readonly string[];
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export class MacFleet {
  readonly #ports: MacFleetPorts;
  readonly #options: Omit<MacOptions, 'authorizedKeys' | 'password' | 'address'>;
  /** By id of the server. */
  readonly #macs = new Map<string, Promise<SimulatedMac>>();

  constructor(
    ports: MacFleetPorts,
    options: Omit<MacOptions, 'authorizedKeys' | 'password' | 'address'> = {},
  ) {
    this.#ports = ports;
    this.#options = options;
  }

  async mac(serverId: string): Promise<SimulatedMac> {
    const { ip, password } = this.#server(serverId);
    const known = this.#macs.get(serverId);
    if (known !== undefined) return known;
    const { authorizedKeys } = this.#ports;
    const options = { ...this.#options, address: ip, password, authorizedKeys: authorizedKeys() };
    const opening = SimulatedMac.open(options, this.#ports);
    this.#macs.set(serverId, opening);
    return opening;
  }

  addressOf(serverId: string): string {
    return this.#server(serverId).ip;
  }

  /** Undefined where no machine answers: no server has the address, or the server is busy. */
  async resolve(address: string): Promise<Endpoint | undefined> {
    const server = this.#ports.servers().find(({ ip }) => ip === address);
    if (server === undefined || server.doing !== undefined) return undefined;
    const { port } = await this.mac(server.id);
    return { host: '127.0.0.1', port };
  }

  /** Starts to connect, and returns at once, as an SSH client wants it. */
  connect(address: string): Socket {
    const socket = new Socket();
    void this.#connect(socket, address);
    return socket;
  }

  async #connect(socket: Socket, address: string): Promise<void> {
    try {
      const endpoint = await this.resolve(address);
      if (endpoint === undefined) throw unreachable(address);
      if (!socket.destroyed) socket.connect(endpoint);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** To be called when the cloud has reinstalled a server. A Mac that nobody asked for yet is new anyway. */
  async reinstalled(serverId: string): Promise<void> {
    const { password } = this.#server(serverId);
    const mac = await this.#macs.get(serverId);
    await mac?.reinstall({ password, authorizedKeys: this.#ports.authorizedKeys() });
  }

  /** To be called when the cloud has rebooted a server. */
  async rebooted(serverId: string): Promise<void> {
    const mac = await this.#macs.get(serverId);
    await mac?.reboot();
  }

  /** Ends the Macs of servers that are no longer rented, too. */
  async close(): Promise<void> {
    const macs = await Promise.all(this.#macs.values());
    this.#macs.clear();
    await Promise.all(macs.map((mac) => mac.close()));
  }

  #server(serverId: string): FleetServer {
    const server = this.#ports.servers().find(({ id }) => id === serverId);
    if (server === undefined) throw new Error(`no server ${serverId} in the simulated cloud`);
    return server;
  }
}

function unreachable(address: string): Error {
  return Object.assign(new Error(`connect EHOSTUNREACH ${address}`), { code: 'EHOSTUNREACH', address });
}
