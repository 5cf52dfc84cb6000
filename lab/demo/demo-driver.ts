/**
 * The simulated user of the demo fleet: about every half minute the fleet is scaled, or a Machine is replaced. The
 * driver never requests more than the free hosts, and waits for the end of a running change.
 */
import type { Clock } from '../../src/platform/clock.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { macHosts } from '../../src/hosts/state/objects.ts';
import type { Random } from '../../src/platform/random.ts';
import {
  annotations,
  machineDeployments,
  machines,
  type Machine,
  type MachineDeployment,
} from '../clouds/cluster-api/kinds.ts';
import { demoNamespace as namespace, deploymentName } from './demo-objects.ts';

export interface DriverPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Reports every action. */
  readonly report: (text: string) => void;
  readonly onFailure: (error: unknown) => void;
}

const pauseMs = { least: 20_000, most: 40_000 };
const replicasMin = 2;
const replicasMax = 4;

interface Seen {
  readonly deployment: MachineDeployment;
  readonly machines: readonly Machine[];
  readonly freeHosts: number;
}

type Deed =
  | { readonly kind: 'scale'; readonly deployment: MachineDeployment; readonly replicas: number }
  | { readonly kind: 'replace'; readonly machine: Machine };

export class DemoDriver {
  readonly #ports: DriverPorts;
  #cancel: () => void = () => undefined;
  #doing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(ports: DriverPorts) {
    this.#ports = ports;
  }

  start(): void {
    const { clock, random } = this.#ports;
    const pause = pauseMs.least + random.next() * (pauseMs.most - pauseMs.least);
    this.#cancel = clock.after(pause, () => void (this.#doing = this.#round()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#doing;
  }

  async #round(): Promise<void> {
    const { random, onFailure } = this.#ports;
    try {
      const seen = await this.#look();
      const possible = seen === undefined ? [] : deedsIn(seen);
      const deed = possible[Math.floor(random.next() * possible.length)];
      if (deed !== undefined && !this.#isStopped) await this.#do(deed);
    } catch (error) {
      if (!this.#isStopped) onFailure(error);
    }
    if (!this.#isStopped) this.start();
  }

  /** Undefined when a person has deleted the fleet. */
  async #look(): Promise<Seen | undefined> {
    const { client } = this.#ports;
    const deployment = await client.find(machineDeployments, { namespace, name: deploymentName });
    if (deployment === undefined) return undefined;
    const { items } = await client.listPage(machines, { namespace });
    const hosts = await client.listPage(macHosts, {});
    const freeHosts = hosts.items.filter(({ status }) => status?.state === 'Pooled').length;
    return { deployment, machines: items, freeHosts };
  }

  async #do(deed: Deed): Promise<void> {
    const { client, report } = this.#ports;
    if (deed.kind === 'replace') {
      const { name, uid } = deed.machine.metadata;
      await client.delete(machines, { namespace, name }, { uid });
      return report(`demo: Machine ${name} is deleted, another takes its place`);
    }
    const { deployment, replicas } = deed;
    const { name, resourceVersion } = deployment.metadata;
    const merge = { metadata: { resourceVersion }, spec: { replicas } };
    await client.patch(machineDeployments, { namespace, name }, { merge });
    report(`demo: MachineDeployment ${name} goes from ${deployment.spec.replicas} to ${replicas} Macs`);
  }
}

/** None during a running change, or when a person has paused the fleet. */
export function deedsIn({ deployment, machines: all, freeHosts }: Seen): readonly Deed[] {
  const { replicas } = deployment.spec;
  const isQuiet = all.length === replicas && all.every(({ status }) => status?.phase === 'Running');
  if (!isQuiet || deployment.metadata.annotations?.[annotations.paused] !== undefined) return [];
  const [oldest] = all.toSorted((one, other) => bornAt(one) - bornAt(other));
  const fewer: readonly Deed[] =
    replicas > replicasMin ? [{ kind: 'scale', deployment, replicas: replicas - 1 }] : [];
  if (freeHosts === 0) return fewer;
  return [
    ...fewer,
    ...(replicas < replicasMax ? [{ kind: 'scale' as const, deployment, replicas: replicas + 1 }] : []),
    ...(oldest === undefined ? [] : [{ kind: 'replace' as const, machine: oldest }]),
  ];
}

function bornAt({ metadata }: Machine): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}
