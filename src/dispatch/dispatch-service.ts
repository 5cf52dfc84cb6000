/**
 * One replica of dispatch: answers webhooks and polls, wakes polls on notifications of the database, and repairs what
 * crashes and lost messages leave behind. Holds no state that another replica needs.
 */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { uuid } from '../platform/ids.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { Logger } from '../platform/logger.ts';
import { jobMetrics } from './observe/metric-definitions.ts';
import { dispatchMetrics } from './observe/metric-definitions.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Random } from '../platform/random.ts';
import type { Secret } from '../platform/secret.ts';
import type { GitHub } from './github/port.ts';
import { dispatchServer, type WebhookRejection } from './api/dispatch-server.ts';
import { ManagerApi, type ServiceAccountName } from './api/manager-api.ts';
import { RunnerIdentities } from './api/token-review/runner-identities.ts';
import { RunnerPoolLister } from './assign/runner-pool-lister.ts';
import { QueueGauges } from './observe/queue-gauges.ts';
import type { EndedPod } from './recovery/pods/ended-pods.ts';
import { KubeRunnerPods } from './recovery/pods/kube-runner-pods.ts';
import { RecoveryRunner, type RecoveryOptions } from './recovery/recovery.ts';
import { PeriodicTask } from '../platform/periodic-task.ts';
import { Dispatcher } from './assign/assigner.ts';
import { KubeRunnerPodLabels } from './assign/kube-runner-pod-labels.ts';
import { PollHandler } from './api/poll-handler.ts';
import { Cooldowns } from './assign/cooldowns.ts';
import type { JobStore } from './store/port.ts';
import { logInformerError, logFailure, type Say } from './observe/log-levels.ts';
import { ParkedPolls } from './assign/parked-polls.ts';
import { RejectedWebhooks } from './observe/rejected-webhooks.ts';
import { WebhookReceiver } from './webhooks/receiver.ts';
import type { ProfileSettings } from './webhooks/profile-routes.ts';

export interface DispatchOptions {
  readonly namespace: string;
  readonly webhookSecrets: readonly Secret[];
  readonly pollWaitMs: number;
  readonly recovery: RecoveryOptions;
  readonly manager: ServiceAccountName;
  /** Accounts that are accepted when they install the App: logins, `id:` and an id, or `*`. */
  readonly allowedAccounts: readonly string[];
  /** If absent, no account has profiles. */
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
  /** Called on an unexpected error. */
  readonly crash: (error: unknown) => void;
}

const lookEveryMs = 30_000;

export class DispatchService {
  readonly pools: RunnerPoolLister;
  readonly ingress: WebhookReceiver;
  readonly polls: PollHandler;
  readonly manager: ManagerApi;
  #server: FastifyInstance | undefined;
  readonly #parkedPolls: ParkedPolls;
  readonly #recovery: RecoveryRunner;
  readonly #gauges: PeriodicTask;
  readonly #ports: DispatchPorts;
  readonly #options: DispatchOptions;
  readonly #say: Say;
  readonly #misses: RejectedWebhooks;

  constructor(options: DispatchOptions, ports: DispatchPorts) {
    this.#options = options;
    this.#ports = ports;
    const { store, client, clock, random, metrics, logger, crash } = ports;
    this.#say = logFailure(logger);
    const { namespace } = options;
    const onTrouble = logInformerError(logger, 'the pools');
    this.pools = new RunnerPoolLister({
      client,
      clock,
      random,
      namespace,
      metrics,
      onTrouble,
      onFault: crash,
    });
    const cooldowns = new Cooldowns(clock);
    const newGeneration = (): string => uuid(random);
    // mutation: cooldowns-exclude-jobs
    this.#parkedPolls = new ParkedPolls({ store, clock, newGeneration, except: () => cooldowns.now() });
    const identities = new RunnerIdentities({ client, clock, namespace });
    this.#recovery = this.#makeRecovery(cooldowns);
    this.pools.measure(metrics);
    this.#gauges = this.#makeGauges();
    this.ingress = this.#makeIngress();
    this.#misses = this.#makeMisses();
    this.polls = this.#makePollHandler(cooldowns, identities);
    this.manager = this.#makeManagerApi(identities);
    metrics.gauge(dispatchMetrics.waiting, {}, () => this.#parkedPolls.size);
  }

  /** HTTP server. The simulator calls the handlers directly. */
  get server(): FastifyInstance {
    const { ingress, polls, manager } = this;
    const { logger } = this.#ports;
    const onFault = (error: unknown, doing: string): void =>
      logger.error('failed to handle request', { doing, error });
    this.#server ??= dispatchServer({
      ingress,
      polls,
      manager,
      webhookRejected: (why, error) => this.#misses.note(why, error),
      onFault,
    });
    return this.#server;
  }

  start(): void {
    this.pools.informer.start();
    this.#recovery.start();
    this.#gauges.start();
  }

  /** Tries the waiting polls of a pool, or of all pools without a name. */
  wake(pool?: string): void {
    this.#parkedPolls.wake(pool);
  }

  /** Answers waiting polls at once; polls being served are finished or undone before this resolves. */
  async stop(): Promise<void> {
    this.#parkedPolls.close();
    await this.#server?.close();
    // mutation: stop-waits-for-polls
    await this.polls.settled();
    await Promise.all([this.#recovery.stop(), this.#gauges.stop()]);
    await this.pools.informer.stop();
  }

  #makeIngress(): WebhookReceiver {
    const { store, clock, metrics } = this.#ports;
    const { webhookSecrets, profiles, allowedAccounts } = this.#options;
    return new WebhookReceiver({
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

  #makeMisses(): RejectedWebhooks {
    const { clock, metrics } = this.#ports;
    const counted = (outcome: WebhookRejection): void =>
      metrics.counter(dispatchMetrics.webhooks, { action: 'none', outcome }).add();
    return new RejectedWebhooks({ clock, counted, say: this.#say });
  }

  #makeManagerApi(identities: RunnerIdentities): ManagerApi {
    const { store, clock } = this.#ports;
    const { manager } = this.#options;
    const podEnded = (ended: EndedPod): void => this.#recovery.podEnded(ended);
    return new ManagerApi({ store, identities, clock, manager, podEnded });
  }

  #makePollHandler(cooldowns: Cooldowns, identities: RunnerIdentities): PollHandler {
    const { store, client, github, clock, random, metrics } = this.#ports;
    const { namespace, pollWaitMs } = this.#options;
    const dispatcher = new Dispatcher({
      store,
      parkedPolls: this.#parkedPolls,
      pods: new KubeRunnerPodLabels({ client, clock, namespace }),
      github,
      clock,
      newId: () => uuid(random),
      cooldowns,
      pool: (name) => this.pools.facts(name),
      account: async (id) => store.account(id),
      say: this.#say,
    });
    return new PollHandler({
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

  #makeRecovery(cooldowns: Cooldowns): RecoveryRunner {
    const { store, client, github, clock, random, metrics, logger } = this.#ports;
    const { namespace, recovery, profiles } = this.#options;
    return new RecoveryRunner(recovery, {
      store,
      pods: new KubeRunnerPods(client, namespace),
      github,
      clock,
      newId: () => uuid(random),
      restAfterLoss: (jobId) => cooldowns.lost(jobId),
      random,
      metrics,
      logger,
      pools: () => this.pools.routes(),
      profiles,
    });
  }

  #makeGauges(): PeriodicTask {
    const { store, clock, metrics } = this.#ports;
    const gauges = new QueueGauges({ store, clock, pools: () => this.pools.known() });
    gauges.measure(metrics);
    return new PeriodicTask({
      clock,
      everyMs: lookEveryMs,
      run: async () => gauges.look(),
      onFailure: (error) => this.#say('failed to read queue gauges', { error }),
    });
  }
}
