/**
 * One replica of dispatch put together: it answers webhooks and polls, hears from the database when a pool may have
 * something, and sets right what crashes and losses leave behind. It keeps nothing that another replica could not do without.
 */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../runtime/clock.ts';
import { uuid } from '../runtime/ids.ts';
import type { KubeClient } from '../runtime/kube/client.ts';
import type { Logger } from '../runtime/logger.ts';
import { jobMetrics } from '../runtime/job-metric-catalogue.ts';
import { dispatchMetrics } from '../runtime/metric-catalogue.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Random } from '../runtime/random.ts';
import type { Secret } from '../runtime/secret.ts';
import type { GitHub } from './github/port.ts';
import { dispatchServer, type WebhookMiss } from './http/dispatch-server.ts';
import { ManagerDesk, type ServiceAccountName } from './http/manager-desk.ts';
import { RunnerIdentities } from './identity/runner-identities.ts';
import { PoolBook } from './pool-book.ts';
import { QueueGauges } from './queue-gauges.ts';
import type { EndedPod } from './recovery/ended-pods.ts';
import { KubeRunnerPods } from './recovery/kube-runner-pods.ts';
import { RecoveryOffice, type RecoveryOptions } from './recovery/recovery-office.ts';
import { Ticker } from './recovery/ticker.ts';
import { Dispatcher } from './serve/dispatcher.ts';
import { KubePodDesk } from './serve/kube-pod-desk.ts';
import { PollDesk } from './serve/poll-desk.ts';
import { SickList } from './serve/sick-list.ts';
import type { JobStore } from './store/port.ts';
import { sayOfCopy, sayTo, type Say } from './tell.ts';
import { WaitingRoom } from './waiting-room.ts';
import { WebhookMisses } from './webhook-misses.ts';
import { Ingress } from './webhooks/ingress.ts';
import type { ProfileSettings } from './webhooks/profile-routes.ts';

export interface DispatchOptions {
  readonly namespace: string;
  readonly webhookSecrets: readonly Secret[];
  readonly pollWaitMs: number;
  readonly recovery: RecoveryOptions;
  readonly manager: ServiceAccountName;
  /** Who may become known by installing the App: logins, `id:` and an id, or `*`. */
  readonly allowedAccounts: readonly string[];
  /** Without them no account has any. */
  readonly profiles?: ProfileSettings;
}

export interface DispatchPorts {
  readonly store: JobStore;
  readonly client: KubeClient;
  readonly github: GitHub;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** A fault of our own. */
  readonly crash: (error: unknown) => void;
}

const lookEveryMs = 30_000;

export class DispatchService {
  readonly pools: PoolBook;
  readonly ingress: Ingress;
  readonly polls: PollDesk;
  readonly manager: ManagerDesk;
  #server: FastifyInstance | undefined;
  readonly #room: WaitingRoom;
  readonly #recovery: RecoveryOffice;
  readonly #gauges: Ticker;
  readonly #ports: DispatchPorts;
  readonly #options: DispatchOptions;
  readonly #say: Say;
  readonly #misses: WebhookMisses;

  constructor(options: DispatchOptions, ports: DispatchPorts) {
    this.#options = options;
    this.#ports = ports;
    const { store, client, clock, random, metrics, logger, crash } = ports;
    this.#say = sayTo(logger);
    const { namespace } = options;
    const onTrouble = sayOfCopy(logger, 'the pools');
    this.pools = new PoolBook({ client, clock, random, namespace, metrics, onTrouble, onFault: crash });
    const sick = new SickList(clock);
    const newGeneration = (): string => uuid(random);
    // mutation: cooldowns-exclude-jobs
    this.#room = new WaitingRoom({ store, clock, newGeneration, except: () => sick.now() });
    const identities = new RunnerIdentities({ client, clock, namespace });
    this.#recovery = this.#makeRecovery(sick);
    this.pools.measure(metrics);
    this.#gauges = this.#makeGauges();
    this.ingress = this.#makeIngress();
    this.#misses = this.#makeMisses();
    this.polls = this.#makePollDesk(sick, identities);
    this.manager = this.#makeManagerDesk(identities);
    metrics.gauge(dispatchMetrics.waiting, {}, () => this.#room.size);
  }

  /** The face over HTTP; a world without one asks the desks themselves. */
  get server(): FastifyInstance {
    const { ingress, polls, manager } = this;
    const { logger } = this.#ports;
    const onFault = (error: unknown, doing: string): void =>
      logger.error('a request failed', { doing, error });
    this.#server ??= dispatchServer({
      ingress,
      polls,
      manager,
      webhookMissed: (why, error) => this.#misses.note(why, error),
      onFault,
    });
    return this.#server;
  }

  start(): void {
    this.pools.informer.start();
    this.#recovery.start();
    this.#gauges.start();
  }

  /** A pool may have something; without a name, any of them. */
  wake(pool?: string): void {
    this.#room.wake(pool);
  }

  /** Whoever only waits is sent away at once, whoever is being served is served or undone; then nothing is left. */
  async stop(): Promise<void> {
    this.#room.close();
    await this.#server?.close();
    // mutation: stop-waits-for-polls
    await this.polls.settled();
    await Promise.all([this.#recovery.stop(), this.#gauges.stop()]);
    await this.pools.informer.stop();
  }

  #makeIngress(): Ingress {
    const { store, clock, metrics } = this.#ports;
    const { webhookSecrets, profiles, allowedAccounts } = this.#options;
    return new Ingress({
      store,
      clock,
      secrets: () => webhookSecrets,
      pools: () => this.pools.routes(),
      profiles,
      allowedAccounts,
      say: this.#say,
      counted: (action, outcome) => metrics.counter(dispatchMetrics.webhooks, { action, outcome }).add(),
    });
  }

  #makeMisses(): WebhookMisses {
    const { clock, metrics } = this.#ports;
    const counted = (outcome: WebhookMiss): void =>
      metrics.counter(dispatchMetrics.webhooks, { action: 'none', outcome }).add();
    return new WebhookMisses({ clock, counted, say: this.#say });
  }

  #makeManagerDesk(identities: RunnerIdentities): ManagerDesk {
    const { store, clock } = this.#ports;
    const { manager } = this.#options;
    const podEnded = (ended: EndedPod): void => this.#recovery.podEnded(ended);
    return new ManagerDesk({ store, identities, clock, manager, podEnded });
  }

  #makePollDesk(sick: SickList, identities: RunnerIdentities): PollDesk {
    const { store, client, github, clock, random, metrics } = this.#ports;
    const { namespace, pollWaitMs } = this.#options;
    const dispatcher = new Dispatcher({
      store,
      room: this.#room,
      pods: new KubePodDesk({ client, clock, namespace }),
      github,
      clock,
      newId: () => uuid(random),
      sick,
      pool: (name) => this.pools.facts(name),
      account: async (id) => store.account(id),
      say: this.#say,
    });
    return new PollDesk({
      dispatcher,
      identities,
      clock,
      waitMs: pollWaitMs,
      counted: (fleet, outcome, tookMs) => {
        metrics.counter(jobMetrics.polls, { fleet, outcome }).add();
        metrics.histogram(jobMetrics.pollTime, { fleet, outcome }).observe(tookMs);
      },
    });
  }

  #makeRecovery(sick: SickList): RecoveryOffice {
    const { store, client, github, clock, random, metrics, logger } = this.#ports;
    const { namespace, recovery, profiles } = this.#options;
    return new RecoveryOffice(recovery, {
      store,
      pods: new KubeRunnerPods(client, namespace),
      github,
      clock,
      newId: () => uuid(random),
      restAfterLoss: (jobId) => sick.lost(jobId),
      random,
      metrics,
      logger,
      pools: () => this.pools.routes(),
      profiles,
    });
  }

  #makeGauges(): Ticker {
    const { store, clock, metrics } = this.#ports;
    const gauges = new QueueGauges({ store, clock, pools: () => this.pools.known() });
    gauges.measure(metrics);
    return new Ticker({
      clock,
      everyMs: lookEveryMs,
      run: async () => gauges.look(),
      onFailure: (error) => this.#say('the queue could not be looked at', { error }),
    });
  }
}
