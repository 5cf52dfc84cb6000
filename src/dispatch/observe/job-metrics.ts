/** Counts job events and measures their times. */
import { jobMetrics } from './metric-definitions.ts';
import type { HistogramMetric, Metrics } from '../../platform/metrics.ts';
import type { JobEvent, Reported } from '../store/job-events.ts';

type Of<K extends JobEvent['kind']> = Extract<JobEvent, { kind: K }>;

/**
 * The conclusions that GitHub documents. Others are counted as
 * `other`, since webhooks could bring any number of values.
 */
const conclusions: ReadonlySet<string> = new Set([
  'success',
  'failure',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
  'neutral',
  'stale',
  'startup_failure',
]);

export function jobMetricsListener(metrics: Metrics): Reported {
  const metricsListener = new JobMetricsListener(metrics);
  return (event) => metricsListener.hear(event);
}

class JobMetricsListener {
  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  hear(event: JobEvent): void {
    const fleet = event.pool;
    switch (event.kind) {
      case 'enqueued':
        return this.#metrics.counter(jobMetrics.enqueued, { fleet }).add();
      case 'requeued':
        return this.#metrics.counter(jobMetrics.requeued, { fleet }).add();
      case 'claimed':
        return this.#claimed(event);
      case 'running':
        return this.#running(event);
      case 'completed':
        return this.#completed(event);
    }
  }

  #claimed({ pool: fleet, queuedAt, at }: Of<'claimed'>): void {
    this.#metrics.counter(jobMetrics.claims, { fleet }).add();
    this.#took(jobMetrics.queueTime, fleet, at - queuedAt);
  }

  #running({ pool: fleet, queuedAt, claimedAt, at }: Of<'running'>): void {
    this.#metrics.counter(jobMetrics.running, { fleet }).add();
    this.#took(jobMetrics.queueToRunningTime, fleet, at - queuedAt);
    this.#took(jobMetrics.claimToRunningTime, fleet, at - claimedAt);
  }

  #completed({ pool: fleet, conclusion, queuedAt, startedAt, at }: Of<'completed'>): void {
    const known = conclusions.has(conclusion) ? conclusion : 'other';
    this.#metrics.counter(jobMetrics.completed, { fleet, conclusion: known }).add();
    this.#took(jobMetrics.totalTime, fleet, at - queuedAt);
    if (startedAt !== undefined) this.#took(jobMetrics.runTime, fleet, at - startedAt);
  }

  /** Clocks of replicas and GitHub differ slightly, so a negative duration counts as zero. */
  #took(metric: HistogramMetric<'fleet'>, fleet: string, ms: number): void {
    this.#metrics.histogram(metric, { fleet }).observe(Math.max(0, ms));
  }
}
