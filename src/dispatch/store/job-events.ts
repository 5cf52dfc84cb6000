/**
 * What happens to jobs, for whoever counts it. A store tells of it when it is durable, and only where a verb changed
 * something: of a webhook that comes twice, on whichever replicas, the second time says nothing. What a replica made durable
 * and died before it could tell is not told at all.
 */
interface Happened {
  readonly pool: string;
}

export type JobEvent =
  | (Happened & { readonly kind: 'enqueued' })
  /** A Pod was reserved for it. */
  | (Happened & { readonly kind: 'claimed'; readonly queuedAt: number; readonly at: number })
  /** A registration is about to be handed out for it. */
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
      /** Absent where no runner ever took it. */
      readonly startedAt: number | undefined;
      readonly at: number;
    })
  /** It was reserved or handed out, and waits again. */
  | (Happened & { readonly kind: 'requeued' });

export type Reported = (event: JobEvent) => void;

export const ignoreJobEvents: Reported = () => undefined;
