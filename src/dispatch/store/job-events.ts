/**
 * Job events for metrics. A store emits an event after the commit, and only if the operation changed something: a
 * repeated webhook emits nothing, on any replica. An event is lost if the replica dies between commit and emit.
 */
interface Happened {
  readonly pool: string;
}

export type JobEvent =
  | (Happened & { readonly kind: 'enqueued' })
  /** A Pod was claimed for the job. */
  | (Happened & { readonly kind: 'claimed'; readonly queuedAt: number; readonly at: number })
  /** A registration is about to be handed out for the job. */
  | (Happened & {
      readonly kind: 'running';
      readonly queuedAt: number;
      readonly claimedAt: number;
      readonly at: number;
    })
  | (Happened & {
      readonly kind: 'completed';
      readonly conclusion: string;
      readonly queuedAt: number;
      /** Absent if no runner ever took the job. */
      readonly startedAt: number | undefined;
      readonly at: number;
    })
  /** The job was claimed or running, and waits again. */
  | (Happened & { readonly kind: 'requeued' });

export type Reported = (event: JobEvent) => void;

export const ignoreJobEvents: Reported = () => undefined;
