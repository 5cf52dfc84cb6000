/**
 * The repairs of duplicates. Each repair is proved from stored objects. Machines are read last, so a machine that
 * appears meanwhile can only stop a repair.
 */
import { annotations } from '../../api/names/annotations.ts';
import { isSpare, isWronglyBound, ownerOf, wasNeverUsed } from '../state/duplicates.ts';
import { hostOf, macHosts, machines, placeOf, recordOf } from '../state/objects.ts';
import { timeText } from '../../platform/time-text.ts';
import { freshList, freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { Action } from './plan.ts';
import type { DuplicatesPorts } from './ports.ts';

type Ports = Pick<DuplicatesPorts, 'client' | 'isPoolName' | 'now'>;

export class DuplicateRepairs {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  make(action: Action): Promise<ActionResult> {
    return action.kind === 'unbind' ? this.#unbind(action) : this.#dropClaim(action);
  }

  /**
   * The status is written last. If that write fails, the machine still names the host, and the next pass finds it
   * again.
   */
  async #unbind({ machine, hostId }: Extract<Action, { kind: 'unbind' }>): Promise<ActionResult> {
    const { client, now } = this.#ports;
    const { object: host } = await freshRead(client, macHosts, { name: hostId });
    const { claim } = host?.spec ?? {};
    if (host === undefined || claim === undefined) return 'precondition-lost';
    const { namespace, name } = claim;
    const { object: holder } = await freshRead(client, machines, { namespace, name });
    const { object: current } = await freshRead(client, machines, placeOf(machine));
    if (current === undefined || current.metadata.uid !== machine.metadata.uid) return 'precondition-lost';
    const owner = holder && ownerOf(recordOf(host), [holder]);
    if (!isWronglyBound(current, recordOf(host), owner)) return 'precondition-lost';
    const place = placeOf(current);
    const marks = {
      [annotations.takenOff.key]: `${hostId} ${timeText(now())}`,
      ...(hostOf(current) === hostId && { [annotations.host.key]: null }),
    };
    const { metadata } = await client.patch(machines, place, {
      merge: {
        metadata: { resourceVersion: current.metadata.resourceVersion, annotations: marks },
        spec: { providerID: null },
      },
    });
    const status = { serverID: '', ready: false, initialization: { provisioned: false }, addresses: [] };
    const merge = { metadata: { resourceVersion: metadata.resourceVersion }, status };
    await client.patch(machines, { ...place, subresource: 'status' }, { merge });
    return 'requested';
  }

  /** A host that was never used is free at once. Any other host becomes stranded and is wiped by the orphan reclaimer. */
  async #dropClaim({
    machine,
    homeId,
    hostId,
  }: Extract<Action, { kind: 'drop-claim' }>): Promise<ActionResult> {
    const { client, isPoolName } = this.#ports;
    const { object: spare } = await freshRead(client, macHosts, { name: hostId });
    const { object: home } = await freshRead(client, macHosts, { name: homeId });
    const all = await freshList(client, machines);
    const current = all.find(({ metadata }) => metadata.uid === machine.metadata.uid);
    if (spare === undefined || home === undefined || current === undefined) return 'precondition-lost';
    const given = { machine: current, home: recordOf(home), machines: all };
    if (!isSpare(recordOf(spare), given)) return 'precondition-lost';
    const isClean = wasNeverUsed(recordOf(spare), isPoolName);
    const spec = { claim: null, used: isClean ? null : true };
    const { resourceVersion } = spare.metadata;
    await client.patch(macHosts, { name: hostId }, { merge: { metadata: { resourceVersion }, spec } });
    return 'requested';
  }
}
