/** The line behind several others: a claim goes with the job that its runner executes. */
import type { Place } from './guard.ts';

export const exchange: Place = {
  file: 'src/dispatch/store/contract/model/effects.ts',
  text: 'exchangeJobs(tables, claim.generation, id);',
  without: '',
};
