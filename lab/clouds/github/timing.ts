/** How long things take at GitHub, and how often it surprises. All chances are from 0 to 1. */
import type { Random } from '../../../src/platform/random.ts';
import { wholeBetween } from '../../simulator/engine/random-streams.ts';

export interface Span {
  readonly least: number;
  readonly most: number;
}

export interface GitHubHabits {
  /** Until a webhook is sent: one that is drawn later may overtake one that was drawn before. */
  readonly deliveryMs: Span;
  /** From when a runner and a job could be together until they are. */
  readonly placementMs: Span;
  /** A runner that comes no more: until its job is called failed. */
  readonly lostRunnerMs: number;
  readonly refuseDelivery: number;
  readonly loseDelivery: number;
  readonly doubleDelivery: number;
}

export const calmHabits: GitHubHabits = {
  deliveryMs: { least: 50, most: 1500 },
  placementMs: { least: 100, most: 3000 },
  lostRunnerMs: 600_000,
  refuseDelivery: 0,
  loseDelivery: 0,
  doubleDelivery: 0,
};

/** How long the registration of a runner that never came can still be used. */
export const registrationLifeMs = 3_600_000;
/** How long a runner that nobody sees keeps its name. */
export const ghostLifeMs = 86_400_000;
/** How long a token of an installation is good. */
export const tokenLifeMs = 3_600_000;

export function drawn(random: Random, { least, most }: Span): number {
  return wholeBetween(random, least, most);
}
