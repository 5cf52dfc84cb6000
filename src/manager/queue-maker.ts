/** Puts a controller behind a queue: what it notes, records, measures and does when it is wrong about itself. */
import { visitWith, type Controller, type HarnessPorts } from '../runtime/controller/controller.ts';
import type { EventRecorder } from '../runtime/controller/events.ts';
import type { Notebook } from '../runtime/controller/notebook.ts';
import { noMetrics } from '../runtime/metrics.ts';
import { KeyedQueue } from '../runtime/queue.ts';
import type { FleetManagerPorts } from './manager-ports.ts';

export interface QueueParts {
  readonly ports: FleetManagerPorts;
  readonly notebook: Notebook;
  readonly events: EventRecorder;
  readonly mayAct: () => boolean;
}

export function queueFor<Observed, Action>(
  { ports, notebook, events, mayAct }: QueueParts,
  controller: Controller<Observed, Action>,
  workers: number,
): KeyedQueue {
  const { clock, random, metrics = noMetrics, crash } = ports;
  const harness: HarnessPorts = {
    mayMutate: true,
    mayAct,
    notebook,
    now: () => clock.now(),
    record: (happening) => events.record(happening),
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
