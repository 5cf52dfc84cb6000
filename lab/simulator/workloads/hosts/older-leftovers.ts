/**
 * What the older provider leaves behind when that provider is replaced in the middle of its work. Its adoption renames a
 * server twice and writes the machine only at the end, metadata and spec before status; its release renames the server into
 * the pool before the wipe. Each of these points may be the last that the older provider reached. Its machines have no host
 * annotation. A release that was skipped leaves the same as 'server named, no machine'. Facts: the order of its writes in
 * docs/adr/0003-host-claim-lives-in-the-api-server.md.
 */
import { annotations } from '../../../../src/api/names/annotations.ts';
import { finalizers } from '../../../../src/api/names/finalizers.ts';
import { claimPendingName, usualPoolPrefix } from '../../../../src/api/names/host-names.ts';
import { providerIdOf } from '../../../../src/api/names/provider-id.ts';

import { oneOf } from '../../engine/random-streams.ts';
import type { Mac } from '../../../clouds/scaleway/mac.ts';
import type { World } from '../../world/world.ts';
import type { AdminClient } from './admin-client.ts';
import { machineNames, machineOf } from './machine-objects.ts';
import { fieldsOf } from './stored-objects.ts';

const points = [
  'nothing begun',
  'server pending',
  'server named, machine created',
  'server named, no machine',
  'spec written, no status',
  'status written',
  'status written, paused',
  'status written, paused, server id cleared',
  'status written, machine deleted',
  'status written, machine deleted, server renamed into the pool',
] as const;
type Point = (typeof points)[number];

export const leftoverPremises: readonly string[] = points.map(premiseOf);

/** The first machines may have begun already. `macs`: free servers; each machine gets at most one of them. */
export function createLeftovers(world: World, admin: AdminClient, macs: readonly Mac[]): () => void {
  const random = world.random('older provider');
  const left = machineNames.slice(0, macs.length).map((name, index) => ({
    name,
    mac: macs[index],
    point: oneOf(random, points),
  }));
  for (const { name, mac, point } of left) {
    world.reachability.happened(`premise ${premiseOf(point)}`);
    if (mac !== undefined && point !== 'nothing begun') mac.name = serverName(point, { name, id: mac.id });
  }
  return () => {
    for (const { name, mac, point } of left) if (mac !== undefined) writeMachine(admin, { name, mac, point });
  };
}

/** The release of the older provider renames a server into the pool before the wipe is asked for. */
function serverName(point: Point, { name, id }: { readonly name: string; readonly id: string }): string {
  if (point === 'server pending') return claimPendingName(name);
  return point.endsWith('into the pool') ? `${usualPoolPrefix}${id}` : name;
}

interface Leftover {
  readonly name: string;
  readonly mac: Mac;
  readonly point: Point;
}

function writeMachine(admin: AdminClient, { name, mac, point }: Leftover): void {
  if (point === 'nothing begun' || point === 'server named, no machine') return;
  const machine = machineOf(name, admin);
  const isWritten = point.startsWith('spec') || point.startsWith('status');
  const isPaused = point.includes('paused');
  admin.createMachine({
    ...machine,
    metadata: {
      ...fieldsOf(machine['metadata']),
      ...(isWritten && { finalizers: [finalizers.machine.key] }),
      ...(isPaused && { annotations: { [annotations.paused.key]: '' } }),
    },
    spec: {
      ...fieldsOf(machine['spec']),
      ...(isWritten && { providerID: providerIdOf(mac.zone, mac.id) }),
    },
  });
  if (!point.startsWith('status')) return;
  const serverID = point.endsWith('cleared') ? '' : mac.id;
  admin.patchMachineStatus(name, { status: { serverID, ready: true } });
  if (point.includes('deleted')) admin.deleteMachine(name);
}

function premiseOf(point: Point): string {
  return `the older provider left: ${point}`;
}
