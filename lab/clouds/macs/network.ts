/** The addresses of a simulated Mac, and the traffic that tests of its rules send: `ifconfig` and `nc` (spec/host.md H2). */
import { isIP } from 'node:net';
import { done, failed, type Call, type Reply } from './command-socket.ts';
import type { PacketFilter } from './pf/packet-filter.ts';

const devices = ['lo0', 'en0'] as const;
type Device = (typeof devices)[number];

export class Network {
  readonly #address: string;
  readonly #filter: PacketFilter;
  readonly #own: Readonly<Record<Device, Set<string>>> = { lo0: new Set(), en0: new Set() };
  /** `ADDRESS PORT` of servers that do not answer. */
  readonly #closed = new Set<string>();

  constructor(address: string, filter: PacketFilter) {
    this.#address = address;
    this.#filter = filter;
    this.clear();
  }

  /** As after a boot: without aliases. */
  clear(): void {
    for (const own of Object.values(this.#own)) own.clear();
    this.#own.lo0.add('127.0.0.1');
    this.#own.en0.add(this.#address);
  }

  get addresses(): readonly string[] {
    return devices.flatMap((device) => [...this.#own[device]]);
  }

  /** From now on nothing answers there, for `nc` on this Mac. */
  closePort(address: string, port: number): void {
    this.#closed.add(`${address} ${port}`);
  }

  ifconfig({ args, user }: Call, note: (what: string) => void): Reply {
    const [name, ...rest] = args;
    if (name === '-l') return { exit: 0, stdout: `${devices.join(' ')}\n` };
    const device = devices.find((one) => one === name);
    if (device === undefined) return failed(1, `ifconfig: interface ${name ?? ''} does not exist`);
    if (rest.length === 0) return { exit: 0, stdout: this.#shown(device) };
    if (user !== 'root') return failed(1, 'ifconfig: ioctl (SIOCAIFADDR): permission denied');
    const reply = this.#alias(
      device,
      rest.filter((word) => word !== 'inet'),
    );
    if (reply === done) note(args.join(' '));
    return reply;
  }

  /** `-z` only: whether a connection comes about. A packet that a rule drops looks like a time-out. */
  nc({ args }: Call): Reply {
    const options = ncOptions(args);
    if (options === undefined)
      return failed(1, 'usage: nc -z [-u] [-G conntimeout] [-s source] [-w timeout] host port');
    const { host, port, protocol, source = this.#sourceFor(host) } = options;
    if (!this.addresses.includes(source)) return failed(1, "nc: bind failed: Can't assign requested address");
    const to = `${host} port ${port}`;
    if (!this.#arrives({ ...options, source }) || this.#closed.has(`${host} ${port}`))
      return failed(1, `nc: connectx to ${to} (${protocol}) failed: Operation timed out`);
    return failed(0, `Connection to ${to} [${protocol}/*] succeeded!`);
  }

  #arrives({ host, port, protocol, source }: NcOptions & { readonly source: string }): boolean {
    const isOwn = this.#isOwn(host);
    const self = this.addresses;
    const packet = { protocol, source, destination: host, port, self, isFirst: true } as const;
    const leaves = this.#filter.passes({ ...packet, direction: 'out', device: isOwn ? 'lo0' : 'en0' });
    // What goes to the Mac itself comes in again on the loopback device.
    return leaves && (!isOwn || this.#filter.passes({ ...packet, direction: 'in', device: 'lo0' }));
  }

  #isOwn(host: string): boolean {
    return host.startsWith('127.') || this.addresses.includes(host);
  }

  #sourceFor(host: string): string {
    return [...this.#own[host.startsWith('127.') ? 'lo0' : 'en0']][0] ?? '';
  }

  #alias(device: Device, [action, network = '']: readonly string[]): Reply {
    const [address = ''] = network.split('/');
    const own = this.#own[device];
    if (isIP(address) === 0) return failed(1, `ifconfig: ${network}: bad value`);
    if (action === 'alias') own.add(address);
    else if (action !== '-alias') return failed(1, `ifconfig: ${action ?? ''}: bad value`);
    else if (!own.delete(address))
      return failed(1, "ifconfig: ioctl (SIOCDIFADDR): Can't assign requested address");
    return done;
  }

  #shown(device: Device): string {
    const lines = [...this.#own[device]].map((address) => `\tinet ${address} netmask 0xffffffff\n`);
    return `${device}: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384\n${lines.join('')}`;
  }
}

interface NcOptions {
  readonly host: string;
  readonly port: number;
  readonly protocol: 'tcp' | 'udp';
  readonly source?: string;
}

function ncOptions(args: readonly string[]): NcOptions | undefined {
  const queue = [...args];
  const rest: string[] = [];
  let [source, protocol]: [string | undefined, 'tcp' | 'udp'] = [undefined, 'tcp'];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '-s') source = queue.shift();
    else if (/^-[wGip]$/.test(word)) queue.shift();
    else if (!word.startsWith('-')) rest.push(word);
    else if (word.includes('u')) protocol = 'udp';
  }
  const [host, port] = rest;
  if (host === undefined || port === undefined || !args.some((word) => /^-\w*z/.test(word))) return undefined;
  return { host, port: Number(port), protocol, ...(source !== undefined && { source }) };
}
