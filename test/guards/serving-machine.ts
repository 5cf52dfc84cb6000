/** The line behind several others: no order is carried out under a machine that says it has the host. */
import type { Place } from './guard.ts';

export const servingMachine: Place = {
  file: 'src/fleet/host-situation.ts',
  text: 'if (view.isServing(id)) return true;',
  without: '',
};
