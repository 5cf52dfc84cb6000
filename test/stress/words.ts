/** What a worker and the one that starts it say to each other, over the pipe between the two processes. */
import * as z from 'zod';

const orderShape = z.object({
  url: z.string(),
  seed: z.number(),
  /** Which of all worker processes of the run this is; part of every id that it makes. */
  life: z.number(),
  /** One for each poller: Pods that a worker before it left waiting, or nothing for a fresh one. */
  pods: z.array(z.string().nullable()),
});
export type WorkerOrder = z.infer<typeof orderShape>;

export function orderIn(message: unknown): WorkerOrder {
  return orderShape.parse(message);
}

const reportShape = z.discriminatedUnion('kind', [
  /** A Pod asks from now on. */
  z.object({ kind: z.literal('pod'), poller: z.number(), uid: z.string() }),
  /** No poller uses the Pod any more; if it was served, only the tables show the job. */
  z.object({ kind: z.literal('left'), uid: z.string() }),
  z.object({ kind: z.literal('promoted'), job: z.string(), generation: z.string(), uid: z.string() }),
  z.object({ kind: z.literal('completed'), job: z.string(), outcome: z.string() }),
  /** How often something happened since the last report. */
  z.object({ kind: z.literal('counts'), counts: z.record(z.string(), z.number()) }),
  /** An unexpected error. */
  z.object({ kind: z.literal('fault'), text: z.string() }),
]);
export type Report = z.infer<typeof reportShape>;

export function reportIn(message: unknown): Report {
  return reportShape.parse(message);
}
