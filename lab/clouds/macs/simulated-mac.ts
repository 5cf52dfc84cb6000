/**
 * A simulated Mac that a bootstrap over SSH can set up: an SSH server on loopback, a real shell in a folder of its own, and
 * the commands of macOS that a bootstrap uses. README.md lists the commands and what is left out.
 */
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerChannel } from 'ssh2';
import { uuid } from '../../../src/platform/ids.ts';
import { CommandSocket, done, failed, type Call, type Reply } from './command-socket.ts';
import { filesOf, installDisk } from './disk.ts';
import { makeHostKey, type HostKey } from './host-key.ts';
import { Journal } from './journal.ts';
import { launchctl } from './launchd/launchctl.ts';
import { Launchd } from './launchd/launchd.ts';
import { SignatureCache } from './launchd/mach-o.ts';
import { defaults, type Installation, type MacOptions, type MacPorts, type Settings } from './mac-options.ts';
import { Network } from './network.ts';
import { PacketFilter } from './pf/packet-filter.ts';
import { pfctl } from './pf/pfctl.ts';
import { endProcessesOf } from './processes.ts';
import { ShellSession } from './shell-session.ts';
import { SshListener } from './ssh-listener.ts';

const commands = fileURLToPath(new URL('./commands', import.meta.url));
const serialAlphabet = '0123456789CDFGHJKLMNPQRTVWXY';

export class SimulatedMac {
  /** The folder that is `/` of this Mac. Commands have it as MUSTER_ROOT. */
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), `mac-${process.pid}-`)));
  readonly serial: string;
  readonly journal = new Journal(() => this.#changed());
  readonly launchd: Launchd;
  readonly filter = new PacketFilter();
  readonly network: Network;
  readonly #options: Settings;
  readonly #ports: MacPorts;
  readonly #listener: SshListener;
  readonly #hardwareId: string;
  #installation: Required<Installation>;
  #hostKey: HostKey = makeHostKey();
  #control: CommandSocket | undefined;
  #bootId = '';
  #changesLeft: number | undefined;

  private constructor(options: MacOptions, ports: MacPorts) {
    this.#options = { ...defaults, ...options };
    this.#ports = ports;
    const { user, osVersion, osBuild, authorizedKeys, registrationsMax, address } = this.#options;
    this.serial = options.serial ?? this.#drawSerial();
    this.#hardwareId = uuid(ports.random).toUpperCase();
    const password = options.password ?? this.#drawPassword();
    this.#installation = { password, osVersion, osBuild, authorizedKeys };
    const signatures = new SignatureCache();
    this.launchd = new Launchd({
      root: this.root,
      commands,
      clock: ports.clock,
      signatures,
      registrationsMax,
    });
    this.network = new Network(address, this.filter);
    this.#listener = new SshListener({
      user,
      authorizedKeys: () => this.#installation.authorizedKeys,
      start: (channel, command) => this.#startSession(channel, command),
    });
  }

  static async open(options: MacOptions, ports: MacPorts): Promise<SimulatedMac> {
    const mac = new SimulatedMac(options, ports);
    mac.#install();
    await mac.#listener.listen();
    await mac.#boot();
    return mac;
  }

  /** On 127.0.0.1. Stays the same for the whole life of the Mac. */
  get port(): number {
    return this.#listener.port;
  }

  get user(): string {
    return this.#options.user;
  }

  /** `SHA256:…` */
  get hostKey(): string {
    return this.#hostKey.fingerprint;
  }

  /** As in known_hosts. */
  get publicHostKey(): string {
    return this.#hostKey.publicKey;
  }

  get password(): string {
    return this.#installation.password;
  }

  get osBuild(): string {
    return this.#installation.osBuild;
  }

  get bootId(): string {
    return this.#bootId;
  }

  /** Takes the place of the keys that may log in. */
  authorize(publicKeys: readonly string[]): void {
    this.#installation = { ...this.#installation, authorizedKeys: publicKeys };
  }

  /** Each file with mode and digest: equal before and after a run that changes nothing. */
  files(): ReadonlyMap<string, string> {
    return filesOf(this.root);
  }

  /** An empty disk, another host key, another password; everything that ran ends. */
  async reinstall(installation: Installation = {}): Promise<void> {
    await this.#halt();
    const password = installation.password ?? this.#drawPassword();
    this.#installation = { ...this.#installation, ...installation, password };
    this.#hostKey = makeHostKey();
    this.#install();
    await this.#boot();
  }

  /** Another boot id. Jobs in /Library/LaunchDaemons start again; rules of pf are those of /etc/pf.conf. */
  async reboot(): Promise<void> {
    await this.#halt();
    await this.#boot();
  }

  /** New connections are accepted and never answered, as with a wedged sshd. A reboot ends it. */
  silence(): void {
    this.#listener.reachability = 'silent';
  }

  /** Ends all connections when as many more changes are done: of a command of macOS, or a whole script that changes. */
  cutAfter(changes: number): void {
    this.#changesLeft = changes;
  }

  /** Ends all connections now. */
  cut(): void {
    this.#listener.cut();
  }

  /** Nothing of it is left: no process, no folder, no socket. */
  async close(): Promise<void> {
    await this.#halt();
    await this.#listener.close();
    rmSync(this.root, { recursive: true });
  }

  #install(): void {
    const { user, sudoFailuresMax } = this.#options;
    const { serial } = this;
    const facts = { user, sudoFailuresMax, serial, hardwareId: this.#hardwareId };
    installDisk(this.root, { ...facts, ...this.#installation });
  }

  /** The power goes. */
  async #halt(): Promise<void> {
    this.#listener.reachability = 'down';
    this.#listener.cut();
    this.launchd.halt();
    await endProcessesOf(this.root);
    await this.#control?.close();
    this.#control = undefined;
    this.filter.clear();
    this.network.clear();
  }

  async #boot(): Promise<void> {
    this.#bootId = uuid(this.#ports.random).toUpperCase();
    const seconds = Math.floor(this.#ports.clock.now() / 1000);
    const date = new Date(seconds * 1000).toUTCString();
    this.#write('.mac/sysctl/kern.bootsessionuuid', `${this.#bootId}\n`);
    this.#write('.mac/sysctl/kern.boottime', `{ sec = ${seconds}, usec = 0 } ${date}\n`);
    this.#write('.mac/sudo-failures', '0\n');
    const tickets = join(this.root, '.mac/sudo-tickets');
    for (const ticket of readdirSync(tickets)) rmSync(join(tickets, ticket));
    this.#control = new CommandSocket((call) => this.#perform(call));
    await this.#control.listen(join(this.root, '.mac/control.sock'));
    this.#loadPfConf();
    this.launchd.boot();
    this.#listener.useHostKey(this.#hostKey.privateKey);
    this.#listener.reachability = 'open';
  }

  /** macOS loads /etc/pf.conf at each boot, and leaves pf off: spec/host.md A6.10 has a job that turns pf on. */
  #loadPfConf(): void {
    const call = {
      name: 'pfctl',
      args: ['-f', '/etc/pf.conf'],
      stdin: '',
      user: 'root',
      cwd: this.root,
      job: '',
    };
    pfctl(call, { root: this.root, filter: this.filter, note: () => undefined });
  }

  #perform(call: Call): Reply | Promise<Reply> {
    const note = (what: string): void => this.journal.change(call.name, what, call.job);
    const { root, filter, launchd } = this;
    switch (call.name) {
      case 'launchctl':
        return launchctl(call, { root, launchd, hasConsole: this.#options.hasConsole, note });
      case 'pfctl':
        return pfctl(call, { root, filter, note });
      case 'ifconfig':
        return this.network.ifconfig(call, note);
      case 'nc':
        return this.network.nc(call);
      case 'note': {
        const [by = '', what = ''] = call.args;
        this.journal.change(by, what, call.job);
        return done;
      }
      default:
        return failed(127, `${call.name}: command not found`);
    }
  }

  #startSession(channel: ServerChannel, command: string): ShellSession {
    const { user, shell, address, clientAddress } = this.#options;
    const home = join(this.root, 'Users', user);
    const env = {
      USER: user,
      LOGNAME: user,
      HOME: home,
      SHELL: shell,
      // Without /usr/local/bin, as for every command over SSH: spec/host.md A3.
      PATH: `${commands}:/usr/bin:/bin:/usr/sbin:/sbin`,
      TMPDIR: join(this.root, 'tmp'),
      SSH_CLIENT: `${clientAddress} 50000 22`,
      SSH_CONNECTION: `${clientAddress} 50000 ${address} 22`,
      MUSTER_ROOT: this.root,
    };
    const { clock } = this.#ports;
    return new ShellSession(channel, {
      command,
      shell,
      env,
      cwd: home,
      clock,
      journal: this.journal.command(command),
    });
  }

  #changed(): void {
    if (this.#changesLeft === undefined) return;
    this.#changesLeft -= 1;
    if (this.#changesLeft > 0) return;
    this.#changesLeft = undefined;
    this.#listener.cut();
  }

  #write(path: string, content: string): void {
    writeFileSync(join(this.root, path), content);
  }

  #drawPassword(): string {
    return uuid(this.#ports.random).replaceAll('-', '').slice(0, 16);
  }

  #drawSerial(): string {
    const { random } = this.#ports;
    const digits = Array.from(
      { length: 10 },
      () => serialAlphabet[Math.floor(random.next() * serialAlphabet.length)],
    );
    return digits.join('');
  }
}
