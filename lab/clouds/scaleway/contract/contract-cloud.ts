/** The simulated cloud for the contract of providers: small, with two zones, and without random failures. */
import type { Meddler, RentedFixture } from '../../../contracts/provider/harness.ts';
import type { ApiRequest } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../../../../src/hosts/provider/scaleway/reply.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import type { EffectFault } from '../../../simulator/faults/effect-fault.ts';
import { Cloud, type CloudPorts } from '../cloud.ts';
import { usualTiming, type Timing } from '../timing.ts';
import { perform } from '../perform-action.ts';
import type { CloudAct } from '../operator-action.ts';

export const project = '11111111-2222-4333-8444-555555555555';
export const pageSize = 3;
const [zone, otherZone] = ['fr-par-1', 'fr-par-3'] as const;

const timing: Timing = {
  ...usualTiming,
  deliveryMs: [60_000, 120_000],
  odds: { ...usualTiming.odds, listLag: 0, bareFloor: 0.5 },
};

/** A cloud with a callback just after an answer. */
class WatchedCloud extends Cloud {
  afterNextPage: () => void = () => undefined;

  override handle(request: ApiRequest): Reply {
    const reply = super.handle(request);
    if (request.what !== 'list servers') return reply;
    const then = this.afterNextPage;
    this.afterNextPage = () => undefined;
    then();
    return reply;
  }
}

type Facts = Omit<RentedFixture, 'does' | 'pass' | 'close' | 'meddler'>;

export function contractCloud(ports: CloudPorts): Facts & { readonly cloud: WatchedCloud } {
  const cloud = new WatchedCloud(
    { zones: [zone, otherZone], hosts: 16, project, type: 'M2-L', timing },
    ports,
  );
  const ids = cloud.macs.filter((mac) => mac.zone === zone).map(({ id }) => id);
  // Every fourth server is new, and zones alternate; so the servers of one zone may all be old, and one more is rented.
  const [id = ''] = ids;
  const fresh = cloud.order(zone, 'M2-L', 'fresh');
  fresh.bringUpTo(fresh.nextChangeAt);
  return {
    cloud,
    zone,
    otherZone,
    id,
    freshId: fresh.id,
    ids: [...ids, fresh.id],
    count: ids.length + 1,
    floorMs: timing.floorMs,
    reinstallMaxMs: timing.reinstallMs[1],
  };
}

/** Injects failures into the connection to the cloud; each adapter has its own. */
export interface FaultPort {
  next(fault: EffectFault): void;
}

export function meddlerOf(cloud: WatchedCloud, clock: Pick<Clock, 'now'>, faults: FaultPort): Meddler {
  const act = (one: CloudAct): void => perform(cloud, one, { now: () => clock.now() });
  return {
    rename: (server, name) => act({ act: 'rename', server, name }),
    remove: (server) => act({ act: 'remove', server }),
    order: (name) => act({ act: 'order', zone, type: 'M2-L', name }),
    setZoneDown: (down, isDown) => act({ act: 'zone', zone: down, isDown }),
    throttle: (forMs, retryAfter) =>
      act({ act: 'throttle', forMs, ...(retryAfter !== undefined && { retryAfter }) }),
    setDenied: (operation, isDenied) => act({ act: 'deny', operation, isDenied }),
    retireOs: (name) => act({ act: 'retire os', name }),
    setStatus: (server, status) => act({ act: 'status', server, status }),
    leaveFile: (server, what) => act({ act: 'leave', server, what }),
    residueOf: (id) => cloud.find(id)?.residue ?? ['no such server'],
    hostKeyOf: (id) => cloud.find(id)?.hostKey ?? '',
    stall: (server) => act({ act: 'reinstall fate', server, neverEnds: true }),
    afterNextPage: (then) => void (cloud.afterNextPage = then),
    loseNextAnswer: () => faults.next({ kind: 'reply-lost', silent: false }),
    failNext: () => faults.next({ kind: 'error', reason: 'InternalError' }),
  };
}
