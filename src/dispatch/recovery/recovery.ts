/**
 * The recovery of one replica: all workers with their periods, and the reconciliation of jobs whose Pod has just ended.
 */
import { jobMetrics } from '../observe/metric-definitions.ts';
import { dispatchMetrics } from '../observe/metric-definitions.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Random } from '../../platform/random.ts';
import { logFailure, logRepair } from '../observe/log-levels.ts';
import type { ProfileSettings } from '../webhooks/profile-routes.ts';
import type { PoolRoute } from '../webhooks/route.ts';
import { settleCompletedClaims } from './claims/completed-claims.ts';
import { EndedPods, type EndedPod } from './pods/ended-pods.ts';
import { StaleRegistrations } from './registrations/stale-registrations.ts';
import { Housekeeping } from './jobs/housekeeping.ts';
import { InstallationSync } from './webhooks/installation-sync.ts';
import { OrphanedRunners, orphanLimits } from './jobs/orphaned-runners.ts';
import { OrphanedStampedPods } from './pods/orphaned-stamped-pods.ts';
import { PodReconciliation } from './pods/pod-reconciliation.ts';
import { QueuedJobsPoll } from './jobs/queued-jobs-poll.ts';
import { releaseStaleClaims } from './claims/stale-claims.ts';
import { StaleQueuedJobs } from './jobs/stale-queued-jobs.ts';
import { stampedPodLimits } from './pods/stamped-pods.ts';
import { strandedMs } from './claims/repair-delay.ts';
import { LeasedScheduler } from './scheduler/leased-scheduler.ts';
import { WebhookRedelivery } from './webhooks/webhook-redelivery.ts';
import type { WorkerName } from './scheduler/worker-names.ts';
import { recoveryKinds, type RecoveryPorts, type Worker } from './scheduler/worker.ts';

export interface RecoveryOptions {
  readonly staleClaimAfterMs: number;
  readonly orphanedRunnerAfterMs: number;
  readonly orphanedPodGraceMs: number;
  readonly orphanedPodsMax: number;
  /** Workers that do nothing. */
  readonly paused: readonly WorkerName[];
}

export interface RecoveryRunnerPorts extends Omit<RecoveryPorts, 'recovered' | 'say'> {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly random: Random;
  /** Undefined until the RunnerPools are listed. */
  readonly pools: () => readonly PoolRoute[] | undefined;
  /** If absent, no account has profiles. */
  readonly profiles?: ProfileSettings | undefined;
}

export class RecoveryRunner {
  readonly #ports: RecoveryPorts;
  readonly #scheduler: LeasedScheduler;
  readonly #metrics: Metrics;
  readonly #endedPods: EndedPods;
  readonly #stampedPods: OrphanedStampedPods;

  constructor(
    options: RecoveryOptions,
    { metrics, logger, random, pools, profiles, ...rest }: RecoveryRunnerPorts,
  ) {
    this.#metrics = metrics;
    const say = logFailure(logger);
    // Start each counter at zero: a counter that first appears with
    // a value shows no increase, so alerts miss the first repairs.
    for (const kind of recoveryKinds) metrics.counter(dispatchMetrics.recovered, { kind });
    this.#ports = {
      ...rest,
      recovered: (kind, about) => {
        metrics.counter(dispatchMetrics.recovered, { kind }).add();
        const tookMs = strandedMs(kind, about.evidence);
        if (tookMs !== undefined) metrics.histogram(jobMetrics.strandedTime, { kind }).observe(tookMs);
        logRepair(logger, kind, about);
      },
      say,
    };
    this.#endedPods = new EndedPods(this.#ports);
    const { orphanedPodGraceMs: graceMs, orphanedPodsMax: max } = options;
    this.#stampedPods = new OrphanedStampedPods(this.#ports, { ...stampedPodLimits, graceMs, max });
    const holder = rest.newId();
    const workers = this.#workers(options, { pools, profiles, holder });
    const isPaused = (worker: WorkerName): boolean => options.paused.includes(worker);
    const failed = (worker: string, error: unknown): void => {
      metrics.counter(dispatchMetrics.recoveryFailures, { worker }).add();
      say('failed to run recovery worker', { worker, error });
    };
    this.#scheduler = new LeasedScheduler({ ...rest, random, holder, failed, isPaused }, workers);
    metrics.gauges(dispatchMetrics.recoveryAge, () =>
      this.#scheduler.ages().map(({ worker, seconds }) => ({ labels: { worker }, value: seconds })),
    );
    metrics.gauges(dispatchMetrics.recoveryPeriod, () =>
      this.#scheduler.ages().map(({ worker, everySeconds }) => ({ labels: { worker }, value: everySeconds })),
    );
    metrics.gauges(dispatchMetrics.stayingPods, () =>
      this.#stampedPods.staying().map(({ reason, count }) => ({ labels: { reason }, value: count })),
    );
  }

  start(): void {
    this.#scheduler.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#scheduler.stop(), this.#endedPods.stop()]);
  }

  /** Reconciles the jobs of the Pod with GitHub, the only source of their state. */
  podEnded(ended: EndedPod): void {
    this.#metrics
      .counter(dispatchMetrics.recovered, { kind: 'pod_stop_recovery_scheduled' })
      .add(ended.jobs.length);
    this.#endedPods.add(ended);
  }

  #workers(
    options: RecoveryOptions,
    {
      pools,
      profiles,
      holder,
    }: Pick<RecoveryRunnerPorts, 'pools' | 'profiles'> & { readonly holder: string },
  ): readonly Worker[] {
    const ports = this.#ports;
    const { staleClaimAfterMs, orphanedRunnerAfterMs } = options;
    const poolNames = (): readonly string[] => (pools() ?? []).map(({ name }) => name);
    return [
      {
        name: 'stale-claims',
        everyMs: 30_000,
        run: async () => void (await releaseStaleClaims(ports, staleClaimAfterMs)),
      },
      {
        name: 'completed-claims',
        everyMs: 60_000,
        run: async () => settleCompletedClaims(ports, staleClaimAfterMs),
      },
      this.#stampedPods,
      new OrphanedRunners(ports, { ...orphanLimits, olderThanMs: orphanedRunnerAfterMs }),
      new PodReconciliation(ports, (ended) => this.podEnded(ended)),
      new StaleQueuedJobs(ports),
      new WebhookRedelivery(ports),
      new QueuedJobsPoll(ports, { pools, profiles, holder }),
      new InstallationSync(ports),
      // mutation: stale-registrations-worker
      new StaleRegistrations(ports, poolNames),
      new Housekeeping(ports),
    ];
  }
}
