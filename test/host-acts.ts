/** The acts of the controller of hosts on their stand; a failure is told by its kind. */
import { HostController } from '../src/controllers/host/host.ts';
import type { Action } from '../src/controllers/host/plan.ts';
import { FleetError } from '../src/errors/fleet-error.ts';
import type { MacHostObject } from '../src/fleet/objects.ts';
import type { HostStand } from './host-stand.ts';

export async function act(stand: HostStand, kind: Action['kind'], host: MacHostObject) {
  const view = stand.viewOf(...stand.living);
  const controller = new HostController({
    provider: stand.provider,
    client: stand.client,
    find: () => host,
    view: () => view,
    freshView: () => Promise.resolve(view),
    now: stand.now,
    mayAct: () => stand.mayAct,
    seen: () => stand.progress.push('seen'),
    touched: () => stand.progress.push('touched'),
  });
  try {
    return await controller.act({ kind }, { now: stand.now(), host, view });
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    return error.kind;
  }
}
