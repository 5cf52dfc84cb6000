/**
 * A stand-in for the core of Cluster API: all its controllers in one process, over one client. There is no lease: run a
 * single instance per server.
 */
import type { FleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { visitWith, type HarnessPorts } from '../../../src/kube/reconciler/reconciler.ts';
import { DecisionLog } from '../../../src/kube/reconciler/decision-log.ts';
import { Informer } from '../../../src/kube/informer/informer.ts';
import { nodes } from '../../../src/kube/client/builtin-resources.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { keyOf, type KubeObject, type Resource } from '../../../src/kube/client/kube-object.ts';
import type { KubeTransport } from '../../../src/kube/client/transport.ts';
import { KeyedQueue, type Outcome } from '../../../src/kube/work-queue.ts';
import type { Random } from '../../../src/platform/random.ts';
import { RateLimit } from '../../../src/platform/rate-limit.ts';
import type { Inhabitant } from '../../simulator/engine/process.ts';
import { ClusterController } from './cluster/controller.ts';
import { definitionKind, type Definition } from './crds.ts';
import { DeploymentController } from './deployment/controller.ts';
import { kindOf, type ForeignKind, type Resolve } from './foreign.ts';
import { clusters, machineDeployments, machines, machineSets } from './kinds.ts';
import { MachineController } from './machine/controller.ts';
import type { Copies, CorePorts } from './ports.ts';
import { SetController } from './set/controller.ts';
import { Visits } from './watched-objects.ts';

export interface CoreOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  /** Reports errors; the failed work is retried. */
  readonly log: (text: string) => void;
}

export class ClusterApiCore implements Inhabitant {
  readonly #options: CoreOptions;
  readonly #client: KubeClient;
  readonly #copies: Copies;
  readonly #definitions: Informer<Definition & KubeObject>;
  /** Informers for objects of providers, by kind; each starts at the first reference to the kind. */
  readonly #followed = new Map<string, Informer<KubeObject>>();
  readonly #queue: KeyedQueue;
  readonly #visits: Visits;

  constructor(options: CoreOptions) {
    this.#options = options;
    const { transport, clock } = options;
    const limit = new RateLimit(clock, { perSecond: 100, burst: 200 });
    this.#client = new KubeClient({ transport, clock, limit, fieldManager: 'cluster-api-stand-in' });
    this.#copies = {
      clusters: this.#informer(clusters),
      deployments: this.#informer(machineDeployments),
      sets: this.#informer(machineSets),
      machines: this.#informer(machines),
      nodes: this.#informer(nodes, (node) => node.spec?.providerID ?? ''),
    };
    this.#definitions = this.#informer(definitionKind, ({ spec }) => `${spec.names.kind}.${spec.group}`);
    this.#queue = this.#queueFor();
    this.#visits = new Visits(this.#copies, (key) => this.#queue.add(key));
  }

  /** Reconciling begins when all informers that decisions need have synced. */
  start(): void {
    const all = [this.#definitions, ...Object.values(this.#copies)];
    for (const informer of all) informer.start();
    void Promise.all(all.map((informer) => informer.synced())).then(() => this.#visits.begin());
  }

  async stop(): Promise<void> {
    this.#visits.end();
    await this.#queue.stop();
    const all = [this.#definitions, ...Object.values(this.#copies), ...this.#followed.values()];
    await Promise.all(all.map((informer) => informer.stop()));
  }

  #queueFor(): KeyedQueue {
    const { clock, random } = this.#options;
    const ports: CorePorts = {
      client: this.#client,
      now: () => clock.now(),
      random,
      resolve: (reference) => this.#resolve(reference),
      copies: this.#copies,
    };
    const harness = this.#harness();
    const visits: Readonly<Record<string, (key: string) => Promise<Outcome>>> = {
      Cluster: visitWith(new ClusterController(ports), harness),
      MachineDeployment: visitWith(new DeploymentController(ports), harness),
      MachineSet: visitWith(new SetController(ports), harness),
      Machine: visitWith(new MachineController(ports), harness),
    };
    const backoff = { firstMs: 1000, maxMs: 60_000 };
    return new KeyedQueue({ clock, random, workers: 4, backoff, name: 'cluster-api' }, async (entry) => {
      const [kind = '', key = ''] = entry.split(' ');
      return (await visits[kind]?.(key)) ?? 'done';
    });
  }

  #harness(): HarnessPorts {
    const { clock, log } = this.#options;
    return {
      mayMutate: true,
      mayAct: () => true,
      decisions: new DecisionLog(() => clock.now()),
      now: () => clock.now(),
      onFailure: ({ key, during, error }) => log(`${during} ${key}: ${error.reason}: ${error.message}`),
    };
  }

  readonly #resolve: Resolve = ({ apiGroup, kind }) => {
    const [definition] = this.#definitions.find('value', `${kind}.${apiGroup}`);
    const found = definition === undefined ? undefined : kindOf(definition);
    if (found !== undefined) this.#follow(found);
    return found;
  };

  /** Reconciles the owner when a referenced object changes. */
  #follow({ resource }: ForeignKind): void {
    const name = `${resource.plural}.${resource.group}/${resource.version}`;
    if (this.#followed.has(name)) return;
    const informer = this.#informer(resource);
    this.#followed.set(name, informer);
    informer.listen(({ object, before }) => this.#visits.ownersOf(object ?? before));
    informer.start();
  }

  #informer<T extends KubeObject>(
    resource: Resource<T>,
    valueOf: (object: T) => string = keyOf,
  ): Informer<T> {
    const { clock, random, log } = this.#options;
    return new Informer({
      client: this.#client,
      resource,
      clock,
      random,
      indexes: { value: (object) => [valueOf(object)] },
      onTrouble: ({ reason, message }: FleetError) => log(`${reason}: ${message}`),
      onListenerFault: (error) => {
        throw error;
      },
    });
  }
}
