/**
 * Finds hosts that nobody answers for, whatever way they were lost, and has them wiped and offered again. It decides
 * from caches and proves each one from what is stored, machines last: one that appears meanwhile can only save a host.
 */
import { isFleetError } from '../../errors/fleet-error.ts';
import type { FleetView } from '../../fleet/host-situation.ts';
import { verdictOn } from '../../fleet/host-table.ts';
import {
  hostsOf,
  macHosts,
  machines,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../../fleet/objects.ts';
import { timeText } from '../../fleet/time-text.ts';
import type { Controller } from '../../runtime/controller/controller.ts';
import { freshRead } from '../../runtime/controller/fresh-read.ts';
import { subjectOf, type Happening } from '../../runtime/controller/happening.ts';
import type { ActionResult, Report } from '../../runtime/controller/plan.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';
import { plan, strandedIn, unansweredIn, whyNot, type Action, type Observed } from './plan.ts';

export interface SweepPorts {
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly view: () => FleetView;
  /** How many complete inventories of a zone there were so far. */
  readonly inventories: (zone: string) => number;
  readonly now: () => number;
  readonly intervalMs: number;
  readonly claimPrefix: string;
  readonly poolPrefix: string;
  readonly reclaimsMax: number;
  /** Told of each pass: for which nobody answers. */
  readonly counted: (unanswered: readonly MacHostObject[]) => void;
  readonly reclaimed: () => void;
}

const pageSize = 500;

export class Sweep implements Controller<Observed, Action> {
  readonly name = 'sweep';
  readonly plan = plan;
  readonly #ports: SweepPorts;
  /** The number of the inventory at which each host was first found stranded. Lost in a restart, which only delays. */
  readonly #since = new Map<string, number>();
  readonly #saved = new Map<string, number>();
  #reclaimedAt: readonly number[] = [];

  constructor(ports: SweepPorts) {
    this.#ports = ports;
  }

  observe(): Promise<Observed> {
    const { hosts, view, now, intervalMs, claimPrefix, poolPrefix, reclaimsMax, counted } = this.#ports;
    const base = { now: now(), hosts: hosts(), view: view() };
    const stranded = strandedIn(base);
    counted(unansweredIn(base));
    const seenStranded = this.#count(stranded);
    const nextAt = now() + intervalMs;
    const saved = new Map(this.#saved);
    this.#reclaimedAt = this.#reclaimedAt.filter((at) => now() - at < intervalMs);
    const limits = { reclaimsMax, reclaimedLately: this.#reclaimedAt.length };
    return Promise.resolve({ ...base, ...limits, nextAt, seenStranded, saved, claimPrefix, poolPrefix });
  }

  async act({ host }: Action, observed: Observed): Promise<ActionResult> {
    const { client, now, poolPrefix, reclaimed } = this.#ports;
    const { object: current } = await freshRead(client, macHosts, { name: host.metadata.name });
    if (current === undefined) return 'overtaken';
    const known = await this.#allMachines();
    const view = { ...this.#ports.view(), isLive: isLiveIn(known) };
    const isStranded = verdictOn(recordOf(current), view, now()).state === 'Stranded';
    const { name, resourceVersion } = current.metadata;
    if (!isStranded || whyNot(current, observed) !== undefined || ownerByName(current, known)) {
      this.#saved.set(name, (this.#saved.get(name) ?? 0) + 1);
      return 'overtaken';
    }
    const osFamily = current.status?.observed?.os?.family ?? '';
    const release = { policy: 'pool', poolPrefix, orderedBy: 'sweep', orderedAt: timeText(now()), osFamily };
    await this.#counted(() =>
      client.patch(macHosts, { name }, { merge: { metadata: { resourceVersion }, spec: { release } } }),
    );
    reclaimed();
    return 'asked';
  }

  /** An order whose answer was lost may have been taken: it counts against the cap, and only a refusal does not. */
  async #counted(order: () => Promise<unknown>): Promise<void> {
    const before = this.#reclaimedAt;
    this.#reclaimedAt = [...before, this.#ports.now()];
    try {
      await order();
    } catch (error) {
      if (!isFleetError(error, 'unavailable')) this.#reclaimedAt = before;
      throw error;
    }
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  happenings(_observed: Observed, { results }: Report<Action>): readonly Happening[] {
    return results.flatMap(({ action, outcome }): readonly Happening[] => {
      if (outcome !== 'asked') return [];
      const subject = subjectOf(macHosts, action.host);
      const message = 'nobody answered for it in two inventories; it is wiped and offered again';
      return [{ subject, type: 'Warning', reason: 'Stranded', message }];
    });
  }

  #count(stranded: readonly MacHostObject[]): ReadonlyMap<string, number> {
    const { inventories } = this.#ports;
    const ids = new Set(stranded.map(({ metadata }) => metadata.name));
    for (const memory of [this.#since, this.#saved])
      for (const id of memory.keys()) if (!ids.has(id)) memory.delete(id);
    const counts = stranded.map(({ metadata, status }): readonly [string, number] => {
      const done = inventories(status?.observed?.zone ?? '');
      const first = this.#since.get(metadata.name) ?? done;
      this.#since.set(metadata.name, first);
      return [metadata.name, done - first];
    });
    return new Map(counts);
  }

  /** Past every cache; a list that breaks off is a failure and not a short list. */
  async #allMachines(): Promise<readonly MachineObject[]> {
    const { client } = this.#ports;
    const all: MachineObject[] = [];
    let next: string | undefined;
    do {
      const query = { limit: pageSize, ...(next !== undefined && { continue: next }) };
      const page = await client.listPage(machines, query);
      all.push(...page.items);
      next = page.continue;
    } while (next !== undefined && next !== '');
    return all;
  }
}

function isLiveIn(known: readonly MachineObject[]): FleetView['isLive'] {
  return (claim, hostId) =>
    known.some((machine) => machine.metadata.uid === claim.uid && hostsOf(machine).includes(hostId));
}

/** A machine that is called like the server, and has no other host, may be in the middle of taking it. */
function ownerByName({ metadata, spec, status }: MacHostObject, known: readonly MachineObject[]): boolean {
  const name = status?.observed?.name;
  return known.some((machine) => {
    const has = hostsOf(machine);
    if (has.includes(metadata.name)) return true;
    return spec?.claim === undefined && has.length === 0 && machine.metadata.name === name;
  });
}
