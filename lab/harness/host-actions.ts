/** The actions of the host controller on its harness; a failure is reported by its kind. */
import { HostController } from '../../src/hosts/host/controller.ts';
import type { Action } from '../../src/hosts/host/plan.ts';
import { FleetError } from '../../src/platform/errors/fleet-error.ts';
import type { MacHostObject } from '../../src/hosts/state/objects.ts';
import type { HostHarness } from './host-harness.ts';

export async function act(harness: HostHarness, kind: Action['kind'], host: MacHostObject) {
  const view = harness.viewOf(...harness.living);
  const controller = new HostController({
    provider: harness.provider,
    client: harness.client,
    find: () => host,
    view: () => view,
    freshView: () => Promise.resolve(view),
    now: harness.now,
    mayAct: () => harness.mayAct,
    seen: () => harness.progress.push('seen'),
    touched: () => harness.progress.push('touched'),
  });
  try {
    return await controller.act({ kind }, { now: harness.now(), host, view });
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    return error.kind;
  }
}
