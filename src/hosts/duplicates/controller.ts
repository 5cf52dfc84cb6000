/**
 * Finds hosts with several machines and machines with several hosts, after each inventory. Decides from caches, and
 * proves each repair from stored objects. Machines are read last, so a machine that appears meanwhile can only stop a
 * repair.
 */
import { annotations } from '../../api/names/annotations.ts';
import {
  detailOf,
  isSpare,
  isWronglyBound,
  ownerOf,
  wasNeverUsed,
  type Duplicate,
} from '../state/duplicates.ts';
import {
  hostOf,
  macHosts,
  machines,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../state/objects.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshList, freshRead } from '../../kube/reconciler/fresh-read.ts';
import { subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Place } from '../../kube/client/kube-object.ts';
import { findDuplicates, identityOf, isConfirmed, plan, type Action, type Observed } from './plan.ts';

export interface DuplicatesPorts {
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly machines: () => readonly MachineObject[];
  /** Whether free hosts have such names. */
  readonly isPoolName: (name: string) => boolean;
  readonly now: () => number;
  readonly repairsMax: number;
  /** Called after each pass. */
  readonly counted: (confirmed: readonly Duplicate[]) => void;
}

export class Duplicates implements Controller<Observed, Action> {
  readonly name = 'duplicates';
  readonly plan = plan;
  readonly #ports: DuplicatesPorts;
  /** The time since when every pass has shown each duplicate. Lost in a restart, which only delays repairs. */
  #since: ReadonlyMap<string, number> = new Map();
  /** Duplicates for which an Event was sent. */
  #reported: ReadonlySet<string> = new Set();

  constructor(ports: DuplicatesPorts) {
    this.#ports = ports;
  }

  observe(): Promise<Observed> {
    const { hosts, machines: known, now, repairsMax, counted } = this.#ports;
    const base = { now: now(), hosts: hosts(), machines: known(), repairsMax };
    const duplicates = findDuplicates(base);
    const identities = duplicates.map(identityOf);
    this.#since = new Map(identities.map((one) => [one, this.#since.get(one) ?? base.now]));
    const observed = { ...base, duplicates, since: this.#since };
    counted(duplicates.filter((one) => isConfirmed(one, observed)));
    return Promise.resolve(observed);
  }

  act(action: Action): Promise<ActionResult> {
    return action.kind === 'unbind' ? this.#unbind(action) : this.#yield(action);
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  /** One Event for each duplicate, and one for each repair. */
  events(observed: Observed, { results }: Report<Action>): readonly EventDraft[] {
    const confirmed = observed.duplicates.filter((one) => isConfirmed(one, observed));
    const fresh = confirmed.filter((one) => !this.#reported.has(identityOf(one)));
    this.#reported = new Set(confirmed.map(identityOf));
    const mended = results.flatMap(({ action, outcome }) => (outcome === 'asked' ? [mendedBy(action)] : []));
    return [...fresh.flatMap((one) => found(one, observed)), ...mended];
  }

  /**
   * The status is written last. If that write fails, the machine still names the host, and the next pass finds it
   * again.
   */
  async #unbind({ machine, hostId }: Extract<Action, { kind: 'unbind' }>): Promise<ActionResult> {
    const { client, now } = this.#ports;
    const { object: host } = await freshRead(client, macHosts, { name: hostId });
    const { claim } = host?.spec ?? {};
    if (host === undefined || claim === undefined) return 'overtaken';
    const { namespace, name } = claim;
    const { object: holder } = await freshRead(client, machines, { namespace, name });
    const { object: current } = await freshRead(client, machines, placeOf(machine));
    if (current === undefined || current.metadata.uid !== machine.metadata.uid) return 'overtaken';
    const owner = holder && ownerOf(recordOf(host), [holder]);
    if (!isWronglyBound(current, recordOf(host), owner)) return 'overtaken';
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
    return 'asked';
  }

  /** A host that was never used is free at once. Any other host becomes stranded and is wiped by the sweep. */
  async #yield({ machine, homeId, hostId }: Extract<Action, { kind: 'yield' }>): Promise<ActionResult> {
    const { client, isPoolName } = this.#ports;
    const { object: spare } = await freshRead(client, macHosts, { name: hostId });
    const { object: home } = await freshRead(client, macHosts, { name: homeId });
    const all = await freshList(client, machines);
    const current = all.find(({ metadata }) => metadata.uid === machine.metadata.uid);
    if (spare === undefined || home === undefined || current === undefined) return 'overtaken';
    const given = { machine: current, home: recordOf(home), machines: all };
    if (!isSpare(recordOf(spare), given)) return 'overtaken';
    const isClean = wasNeverUsed(recordOf(spare), isPoolName);
    const spec = { claim: null, used: isClean ? null : true };
    const { resourceVersion } = spare.metadata;
    await client.patch(macHosts, { name: hostId }, { merge: { metadata: { resourceVersion }, spec } });
    return 'asked';
  }
}

function found(duplicate: Duplicate, { hosts }: Observed): readonly EventDraft[] {
  const reported = { type: 'Warning', reason: duplicate.kind, message: detailOf(duplicate) } as const;
  if (duplicate.kind === 'SpareHost')
    return [{ subject: subjectOf(machines, duplicate.machine), ...reported }];
  const host = hosts.find(({ metadata }) => metadata.name === duplicate.host.id);
  return host === undefined ? [] : [{ subject: subjectOf(macHosts, host), ...reported }];
}

function mendedBy(action: Action): EventDraft {
  const message =
    action.kind === 'unbind'
      ? `the machine named host ${action.hostId}, which another machine owns; the binding was cleared`
      : `the machine is bound to host ${action.homeId}; its claim on host ${action.hostId} was dropped`;
  const reason = action.kind === 'unbind' ? 'SharedHost' : 'SpareHost';
  return { subject: subjectOf(machines, action.machine), type: 'Warning', reason, message };
}

function placeOf({ metadata }: MachineObject): Place {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}
