/**
 * Carries out the steps of each host, one at a time. The host table decides the next step. Each step is proved again
 * from the stored object and the server before the server changes.
 */
import { goneStatus } from '../state/host-record.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { nextTransition } from '../state/host-state-machine.ts';
import { desiredState, type FleetView } from '../state/host-state.ts';
import { macHosts, recordOf, type MacHostObject } from '../state/objects.ts';
import { claimantIn } from '../state/ownership.ts';
import { observedOf } from '../state/observed-server.ts';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Server } from '../provider/port.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import { holdStepOf, plan, verdictFor, type Action, type HoldStep, type Observed } from './plan.ts';
import type { HostPorts } from './ports.ts';
import { StepBackoff } from './step-backoff.ts';
import { eventsFor, statusPatch } from './status.ts';
import { HostSteps, type Proven, type StepKind } from './actions.ts';

/** About the time of two inventories. */
const unfoundMs = 60_000;

export class HostController implements Controller<Observed, Action> {
  readonly name = 'host';
  readonly plan = plan;
  readonly #ports: HostPorts;
  readonly #steps: HostSteps;
  readonly #refusals = new StepBackoff();

  constructor(ports: HostPorts) {
    this.#ports = ports;
    this.#steps = new HostSteps(ports, (host, step, error) =>
      this.#refusals.note(host, step, { error, now: ports.now() }),
    );
  }

  observe(id: string): Promise<Observed | undefined> {
    const { find, now, view } = this.#ports;
    const host = find(id);
    if (host === undefined) {
      this.#refusals.forget(id);
      return Promise.resolve(undefined);
    }
    const base = { now: now(), host, view: view() };
    return Promise.resolve({ ...base, refusal: this.#refusals.of(host, verdictFor(base).step) });
  }

  async act({ kind }: Action, { host }: Observed): Promise<ActionResult> {
    const { client, now, freshView } = this.#ports;
    const { object: current } = await freshRead(client, macHosts, { name: host.metadata.name });
    if (current === undefined || current.metadata.uid !== host.metadata.uid) return 'precondition-lost';
    if (kind === 'keep' || kind === 'unkeep') return this.#hold(kind, current);
    if (kind === 'cancel-order') return this.#cancelOrder(current);
    const server = await this.#look(current);
    const seen = withSeen(current, server);
    const view = await freshView(seen, isDestructive(kind) ? 'all-machines' : 'its-machines');
    const { step } = nextTransition(recordOf(seen), view, now());
    // The listing may be old: the state of the server itself decides.
    if (step !== kind) return this.#recordSeen(current, server, view);
    return this.#take(kind, { host: current, server });
  }

  async #hold(kind: HoldStep, host: MacHostObject): Promise<ActionResult> {
    if (holdStepOf(host) !== kind) return 'precondition-lost';
    const { name, resourceVersion, finalizers: had = [] } = host.metadata;
    const others = had.filter((finalizer) => finalizer !== finalizers.hold.key);
    const held = kind === 'keep' ? [...others, finalizers.hold.key] : others;
    const merge = { metadata: { resourceVersion, finalizers: held } };
    await this.#ports.client.patch(macHosts, { name }, { merge });
    return 'requested';
  }

  /** Independent of the server, which may be unreachable for hours. */
  async #cancelOrder(host: MacHostObject): Promise<ActionResult> {
    const { client, now, freshView } = this.#ports;
    const { step } = nextTransition(recordOf(host), await freshView(host, 'all-machines'), now());
    if (step !== 'cancel-order') return 'precondition-lost';
    const { name, resourceVersion } = host.metadata;
    await client.patch(
      macHosts,
      { name },
      { merge: { metadata: { resourceVersion }, spec: { release: null } } },
    );
    return 'requested';
  }

  async #take(kind: StepKind, proven: Proven): Promise<ActionResult> {
    const { host } = proven;
    try {
      const result = await this.#steps.take(kind, proven);
      this.#refusals.done(host, kind);
      return result;
    } catch (error) {
      if (isRefusal(error)) this.#refusals.note(host, kind, { error, now: this.#ports.now() });
      throw error;
    }
  }

  async status(observed: Observed, { results }: Report<Action>): Promise<void> {
    // The change made by this visit triggers the next visit, which writes the status.
    if (results.some(({ outcome }) => outcome === 'requested')) return;
    const { host } = observed;
    // Includes the outcome of this visit.
    const status = statusPatch(observed, this.#refusals.of(host, verdictFor(observed).step));
    if (status === undefined) return;
    const { name, resourceVersion } = host.metadata;
    const merge = { metadata: { resourceVersion }, status };
    await this.#ports.client.patch(macHosts, { name, subresource: 'status' }, { merge });
  }

  /** Only failures that need a person. Other failures are retried and resolve by themselves. */
  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    const subject = subjectOf(macHosts, observed.host);
    const results = report.results.filter(
      ({ outcome }) => isFleetError(outcome) && outcome.kind === 'rejected',
    );
    return [...eventsFor(observed, subject, report), ...failuresIn(subject, { ...report, results })];
  }

  /** Undefined when the provider does not know the server. */
  async #look({ metadata, status }: MacHostObject): Promise<Server | undefined> {
    const { provider, seen } = this.#ports;
    const zone = status?.observed?.zone;
    // A step without a zone belongs to a MacHost without a server: the inventory found the server in no zone.
    if (zone === undefined) return undefined;
    try {
      const server = await provider.getServer({ zone, id: metadata.name });
      seen(server);
      return server;
    } catch (error) {
      if (isFleetError(error) && error.kind === 'gone') return undefined;
      throw error;
    }
  }

  async #recordSeen(host: MacHostObject, server: Server | undefined, view: FleetView): Promise<ActionResult> {
    if (server === undefined && hasSomethingToLose(host, view)) throw this.#notFound();
    const observed = server === undefined ? { status: goneStatus } : observedOf(server);
    const place = { name: host.metadata.name, subresource: 'status' };
    await this.#ports.client.patch(macHosts, place, { merge: { status: { observed } } });
    return 'precondition-lost';
  }

  #notFound(): FleetError {
    const message =
      'the provider does not find the server; the host counts as gone after two inventories without it';
    const retryAt = this.#ports.now() + unfoundMs;
    return new FleetError('notYet', { reason: 'NotFound', message }, { retryAt });
  }
}

/**
 * A single read that does not find the server is no proof while listings show it: an order or a tenant must not be
 * dropped for that. Inventories decide. A host that never served a machine is created again when a listing shows it.
 */
function hasSomethingToLose(host: MacHostObject, view: FleetView): boolean {
  const record = recordOf(host);
  const ownership = view.ownershipOf(record);
  const wanted = desiredState(record, ownership);
  if (wanted === 'owned') return claimantIn(ownership.speakers)?.by.includes('serverID') === true;
  return wanted !== 'free';
}

/** Such an error may come before or after the request: the order is invalid, or the new name does not appear. */
function isRefusal(error: unknown): error is FleetError {
  return isFleetError(error, 'rejected') || (isFleetError(error) && error.reason === 'RenameNotSeen');
}

/** Steps that take something from a machine that could speak for the host, or give the host away. */
const destructiveSteps: ReadonlySet<string> = new Set<Action['kind']>([
  'wipe',
  'rename-to-pool',
  'return-to-pool',
  'terminate',
  'drop-claim',
  'leave-to-person',
  'delete-record',
]);

function isDestructive(kind: Action['kind']): boolean {
  return destructiveSteps.has(kind);
}

/** The object as if an inventory had just seen the server. */
function withSeen(host: MacHostObject, server: Server | undefined): MacHostObject {
  const before = host.status?.observed ?? {};
  const seen = server === undefined ? { status: goneStatus } : seenFields(server);
  return { ...host, status: { ...host.status, observed: { ...before, ...seen } } };
}

function seenFields({ name, type, statusText, delivered, deletionScheduled, os }: Server) {
  const plain = { name, type, status: statusText, delivered, deletionScheduled };
  return os === undefined ? plain : { ...plain, os };
}
