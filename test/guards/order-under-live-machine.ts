/** The line behind several others: no order is carried out while a live machine speaks for the host. */
import type { Place } from './guard.ts';

export const orderUnderLiveMachine: Place = {
  file: 'src/fleet/host-situation.ts',
  text: 'return release !== undefined && objectorsTo(release, host, ownership).length > 0;',
  without: 'return false;',
};
