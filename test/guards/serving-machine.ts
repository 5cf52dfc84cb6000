/** The line behind several others: no order is carried out under a machine that says it has the host. */
import type { Place } from './guard.ts';

export const servingMachine: Place = {
  file: 'src/fleet/host-situation.ts',
  text: 'return isServing(id) || (spec.claim !== undefined && isStaying(spec.claim, id));',
  without: 'return spec.claim !== undefined && isStaying(spec.claim, id);',
};
