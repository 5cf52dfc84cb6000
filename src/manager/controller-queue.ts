/** Puts a controller behind a queue, with its decision log, Events, metrics and error handling. */
import { visitWith, type Controller, type HarnessPorts } from '../kube/reconciler/reconciler.ts';
import type { EventRecorder } from '../kube/reconciler/events.ts';
import type { DecisionLog } from '../kube/reconciler/decision-log.ts';
import { noMetrics } from '../platform/metrics.ts';
import { KeyedQueue } from '../kube/work-queue.ts';
import type { FleetManagerPorts } from './manager-ports.ts';

export interface QueueParts {
  readonly ports: FleetManagerPorts;
  readonly decisions: DecisionLog;
  readonly events: EventRecorder;
  readonly mayAct: () => boolean;
}

export function queueFor<Observed, Action>(
  { ports, decisions, events, mayAct }: QueueParts,
  controller: Controller<Observed, Action>,
  workers: number,
): KeyedQueue {
  const { clock, random, metrics = noMetrics, crash } = ports;
  const harness: HarnessPorts = {
    mayMutate: true,
    mayAct,
    decisions,
    now: () => clock.now(),
    record: (event) => events.record(event),
    onFailure: ({ controller: name, during, key, error }) =>
      ports.log(`${name} ${during} ${key}: ${error.reason}: ${error.message}`),
    metrics,
  };
  const visit = visitWith(controller, harness);
  const backoff = { firstMs: 1000, maxMs: 60_000 };
  const { name } = controller;
  return new KeyedQueue({ clock, random, workers, backoff, name, metrics }, async (key) => {
    try {
      return await visit(key);
    } catch (error) {
      crash(error);
      return 'done';
    }
  });
}
