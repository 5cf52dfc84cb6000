/**
 * Replaces the agents on simulated Macs: when a Machine has a host, a ready Node with its provider id joins. The
 * stand-in for Cluster API deletes the Node with its Machine.
 */
import { isFleetError } from '../../src/platform/errors/fleet-error.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { Informer } from '../../src/kube/informer/informer.ts';
import { nodes } from '../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { Random } from '../../src/platform/random.ts';
import { machines, type Machine } from '../clouds/cluster-api/kinds.ts';
import { demoNodeLabel } from './demo-objects.ts';

export interface RegistrarPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFailure: (error: unknown) => void;
}

export class NodeRegistrar {
  readonly #ports: RegistrarPorts;
  readonly #machines: Informer<Machine>;
  readonly #joining = new Map<string, Promise<void>>();

  constructor(ports: RegistrarPorts) {
    this.#ports = ports;
    const { client, clock, random, onFailure } = ports;
    this.#machines = new Informer({ client, resource: machines, clock, random, onListenerFault: onFailure });
  }

  start(): void {
    this.#machines.listen(({ object }) => this.#seen(object));
    this.#machines.start();
  }

  async stop(): Promise<void> {
    await this.#machines.stop();
    await Promise.all(this.#joining.values());
  }

  #seen(machine: Machine | undefined): void {
    if (machine === undefined || !wantsNode(machine)) return;
    const { uid } = machine.metadata;
    if (this.#joining.has(uid)) return;
    const joined = this.#join(machine)
      .catch(this.#ports.onFailure)
      .finally(() => this.#joining.delete(uid));
    this.#joining.set(uid, joined);
  }

  async #join({ metadata, spec }: Machine): Promise<void> {
    const [label = '', value = ''] = demoNodeLabel.split('=');
    const good = { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' };
    const conditions = Object.entries(good).map(([type, status]) => ({ type, status }));
    try {
      await this.#ports.client.create(
        nodes,
        {},
        {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: metadata.name, labels: { [label]: value } },
          spec: { providerID: spec.providerID },
          status: { conditions },
        },
      );
    } catch (error) {
      // The Node has joined already, and the status of the Machine lags.
      if (!isFleetError(error, 'conflict')) throw error;
    }
  }
}

function wantsNode({ metadata, spec, status }: Machine): boolean {
  const hasHost = spec.providerID !== undefined && spec.providerID !== '';
  return hasHost && metadata.deletionTimestamp === undefined && status?.nodeRef === undefined;
}
