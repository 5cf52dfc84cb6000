/** Owned Macs: the list and the provider's records in the embedded API, and a wipe command that a test controls. */
import { stringify } from 'yaml';
import { installKinds } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { FleetManager } from '../../src/manager/manager.ts';
import { openOwnedHosts } from '../../src/manager/owned-hosts/open.ts';
import type { StaticProvider } from '../../src/hosts/provider/static/static-provider.ts';
import type { Command } from '../../src/hosts/provider/static/wipe-command.ts';
import type { KubeRequest } from '../../src/kube/client/transport.ts';
import { RandomStreams } from '../simulator/engine/random-streams.ts';
import { askServer } from './ask-server.ts';
import { EmbeddedTransport } from './embedded-transport.ts';
import { quietSettings } from './quiet-fleet.ts';
import { TestClock } from './test-clock.ts';

type Fields = Readonly<Record<string, unknown>>;

const configMapsPath = '/api/v1/namespaces/default/configmaps';
export const notesPath = `${configMapsPath}/macs-notes`;
export const listPath = `${configMapsPath}/macs`;
export const machinesPath =
  '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default/scalewayapplesiliconmachines';
const hostsPath = '/apis/muster.dev/v1alpha1/machosts';
export const zone = 'office';

export function macId(number: number): string {
  return `0000000${number}-1111-4222-8333-444444444444`;
}

export function mac(number: number): Fields {
  return {
    id: macId(number),
    zone,
    name: `pool-${number}`,
    type: 'M2-L',
    address: `192.0.2.${number}`,
    os: 'macos-tahoe-26.3',
    sshUsername: 'admin',
  };
}

export class StaticProviderHarness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly transport: EmbeddedTransport;
  readonly log: string[] = [];
  readonly crashes: unknown[] = [];
  /** Each started wipe, with the state of the mark at that moment. */
  readonly wipes: { readonly command: Command; readonly marked: boolean }[] = [];
  /** The result of wipes from now on. */
  wiping = Promise.withResolvers<void>();
  readonly #server: ApiServer;
  readonly #random = new RandomStreams(1).stream('test');

  constructor(macs: readonly Fields[] = [mac(1), mac(2), mac(3)]) {
    this.#server = new ApiServer({
      clock: this.clock,
      random: this.#random,
      tokenSecret: new Uint8Array(32),
    });
    installKinds(this.#server);
    this.clock.runDue();
    this.transport = new EmbeddedTransport(this.#server);
    for (const name of ['macs', 'macs-notes'])
      this.ask('POST', configMapsPath, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    this.setList(stringify({ hosts: macs }));
    this.ask('POST', '/api/v1/namespaces/default/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'macs' },
      stringData: Object.fromEntries(macs.map(({ id }) => [String(id), 'correct horse'])),
    });
  }

  open(mayAct: () => boolean = () => true): StaticProvider {
    const { clock, transport, log } = this;
    const kept = { namespace: 'default', name: 'macs' };
    return openOwnedHosts(
      { list: kept, passwords: kept, wipeCommand: '/opt/wipe', wipeDeadlineMs: 3_600_000 },
      {
        transport,
        clock,
        random: this.#random,
        run: (command) => this.#wipe(command),
        mayAct,
        onTrouble: ({ reason, message }) => void log.push(`${reason}: ${message}`),
        onLine: (id, line) => void log.push(`${id}: ${line}`),
      },
    );
  }

  manager(): { readonly manager: FleetManager; readonly provider: StaticProvider } {
    let mayAct = (): boolean => false;
    const provider = this.open(() => mayAct());
    const manager = new FleetManager(
      { ...quietSettings, zones: [zone] },
      {
        transport: this.transport,
        provider,
        clock: this.clock,
        random: this.#random,
        identity: `manager-${this.#random.next()}`,
        log: (text) => void this.log.push(text),
        exit: (why) => void this.crashes.push(why),
        crash: (error) => void this.crashes.push(error),
      },
    );
    mayAct = () => manager.mayAct();
    manager.start();
    return { manager, provider };
  }

  async #wipe(command: Command): Promise<void> {
    const id = command.env['MUSTER_HOST_ID'] ?? '';
    this.wipes.push({ command, marked: this.notes()[`${id}.wipe`] !== undefined });
    const stopped = Promise.withResolvers<never>();
    command.stop.addEventListener('abort', () => stopped.reject(new Error('it was cut off')));
    await Promise.race([this.wiping.promise, stopped.promise]);
  }

  setList(text: string): void {
    this.ask('PATCH', listPath, { data: { 'hosts.yaml': text } });
  }

  notes(): Fields {
    return fieldsOf(this.ask('GET', notesPath)['data']);
  }

  host(number: number): Fields {
    return this.ask('GET', `${hostsPath}/${macId(number)}`);
  }

  hostCount(): number {
    const { items } = this.ask('GET', hostsPath);
    return Array.isArray(items) ? items.length : 0;
  }

  stateOf(number: number): unknown {
    return fieldsOf(this.host(number)['status'])['state'];
  }

  ask(method: KubeRequest['method'], path: string, body?: object): Fields {
    return askServer(this.#server, { method, path, body });
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
