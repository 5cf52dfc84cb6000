/** Delays and failure rates of GitHub. All probabilities are from 0 to 1. */
import type { Random } from '../../../src/platform/random.ts';
import { wholeBetween } from '../../simulator/engine/random-streams.ts';

export interface Span {
  readonly least: number;
  readonly most: number;
}

export interface GitHubTiming {
  /** Until a webhook is sent: a later webhook may overtake an earlier one. */
  readonly deliveryMs: Span;
  /** From the moment when a runner and a job match until the assignment. */
  readonly placementMs: Span;
  /** The time until the job of a lost runner fails. */
  readonly lostRunnerMs: number;
  readonly refuseDelivery: number;
  readonly loseDelivery: number;
  readonly doubleDelivery: number;
}

export const calmTiming: GitHubTiming = {
  deliveryMs: { least: 50, most: 1500 },
  placementMs: { least: 100, most: 3000 },
  lostRunnerMs: 600_000,
  refuseDelivery: 0,
  loseDelivery: 0,
  doubleDelivery: 0,
};

/** How long the registration of a runner that never started is valid. */
export const registrationLifeMs = 3_600_000;
/** How long a runner that never started keeps its name. */
export const ghostLifeMs = 86_400_000;
/** How long an installation token is valid. */
export const tokenLifeMs = 3_600_000;

export function drawn(random: Random, { least, most }: Span): number {
  return wholeBetween(random, least, most);
}
