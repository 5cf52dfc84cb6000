/** Every mutant. */
import { hostRelease } from './host-release.ts';
import { releaseOrders } from './release-orders.ts';
import type { Mutant } from './mutant.ts';
import { jobAssignment } from './job-assignment.ts';
import { podRemoval } from './pod-removal.ts';
import { liveMachines } from './live-machines.ts';
import { podStamps } from './pod-stamps.ts';
import { orphanReclaim } from './orphan-reclaim.ts';
import { hostClaims } from './host-claims.ts';

export const mutants: readonly Mutant[] = [
  ...hostClaims,
  ...hostRelease,
  ...releaseOrders,
  ...orphanReclaim,
  ...liveMachines,
  ...jobAssignment,
  ...podStamps,
  ...podRemoval,
];
