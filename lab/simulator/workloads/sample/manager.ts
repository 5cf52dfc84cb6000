/** The process around the sample controller: client, cache, queue and lease, composed like a real one. */
import type { FleetError } from '../../../../src/platform/errors/fleet-error.ts';
import { visitWith, type HarnessPorts } from '../../../../src/kube/reconciler/reconciler.ts';
import { EventRecorder } from '../../../../src/kube/reconciler/events.ts';
import { DecisionLog } from '../../../../src/kube/reconciler/decision-log.ts';
import { Informer } from '../../../../src/kube/informer/informer.ts';
import { KubeClient } from '../../../../src/kube/client/client.ts';
import { RateLimit } from '../../../../src/platform/rate-limit.ts';
import type { KubeTransport } from '../../../../src/kube/client/transport.ts';
import { LeaderLease } from '../../../../src/kube/lease/leader-lease.ts';
import { KeyedQueue, type Outcome } from '../../../../src/kube/work-queue.ts';
import type { Inhabitant, ProcessEnv } from '../../engine/process.ts';
import { configMaps, SampleController, type SamplePorts } from './controller.ts';
import type { ConfigMap } from './plan.ts';
import type { ShelfClient } from './shelf-client.ts';
import { Sweep, sweepKey } from './sweep.ts';

export interface ManagerOptions {
  readonly env: ProcessEnv;
  readonly transport: KubeTransport;
  readonly shelf: ShelfClient;
  readonly leaseNamespace: string;
  readonly bug: string | undefined;
}

const deadlineMs = 10_000;
/** A sample may hand over slowly; rare renewals allow many virtual hours. */
const patience = { durationMs: 240_000, actMs: 150_000, handoverMs: 15_000 };

export class Manager implements Inhabitant {
  readonly #options: ManagerOptions;
  readonly #informer: Informer<ConfigMap>;
  readonly #queue: KeyedQueue;
  readonly #lease: LeaderLease;
  readonly #events: EventRecorder;
  #hasLed = false;

  constructor(options: ManagerOptions) {
    const { env, transport, leaseNamespace, bug } = options;
    const { clock, random } = env;
    this.#options = options;
    const limit = new RateLimit(clock, { perSecond: 20, burst: 40 });
    const common = { transport, clock, limit, fieldManager: 'sample' };
    const client = new KubeClient({ ...common, deadlineMs });
    const onTrouble = ({ reason, message }: FleetError): void => env.log(`${reason}: ${message}`);
    this.#informer = new Informer({
      client,
      resource: configMaps,
      clock,
      random,
      onTrouble,
      onListenerFault: (error) => {
        throw error;
      },
    });
    this.#events = new EventRecorder({ client, clock, random, component: 'sample', onFailure: onTrouble });
    this.#lease = new LeaderLease({
      client: new KubeClient({ ...common, deadlineMs: 3000 }),
      clock,
      random,
      namespace: leaseNamespace,
      name: 'sample',
      identity: env.incarnation.label,
      ...patience,
      onTrouble,
      onLost: () => {
        if (bug !== 'act-after-lease-loss') env.exit('the lease is lost');
      },
    });
    const ports: SamplePorts = {
      client,
      shelf: options.shelf,
      find: (key) => this.#informer.get(key),
      now: () => clock.now(),
      mayAct: () => this.#mayAct(),
      bug,
    };
    this.#queue = this.#queueFor(ports);
    this.#start();
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
    await this.#events.flush();
    await this.#informer.stop();
    await this.#lease.stop();
  }

  #queueFor(ports: SamplePorts): KeyedQueue {
    const { env, bug } = this.#options;
    const { clock, random } = env;
    const harness: HarnessPorts = {
      mayMutate: true,
      mayAct: () => this.#mayAct(),
      decisions: new DecisionLog(() => clock.now()),
      now: () => clock.now(),
      record: (event) => this.#events.record(event),
      onFailure: ({ key, during, error }) => env.log(`${during} ${key}: ${error.reason}`),
    };
    const visitOne = visitWith(new SampleController(ports), harness);
    const visitAll = visitWith(new Sweep(ports), harness);
    const backoff = bug === 'no-back-off' ? { firstMs: 20, maxMs: 20 } : { firstMs: 1000, maxMs: 60_000 };
    return new KeyedQueue({ clock, random, workers: 4, backoff }, async (key) => {
      const outcome = await (key === sweepKey ? visitAll(key) : visitOne(key));
      return this.#forgets(outcome) ? 'done' : outcome;
    });
  }

  #mayAct(): boolean {
    const may = this.#lease.mayAct();
    this.#hasLed ||= may;
    return may || (this.#options.bug === 'act-after-lease-loss' && this.#hasLed);
  }

  #forgets(outcome: Outcome): boolean {
    return this.#options.bug === 'forgotten-requeue' && outcome === 'backoff';
  }

  #start(): void {
    this.#lease.start();
    this.#informer.listen(({ key }) => this.#queue.add(key));
    this.#informer.start();
    void this.#informer.synced().then(() => this.#queue.add(sweepKey));
  }
}
