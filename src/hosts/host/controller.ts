/**
 * Carries out what is wanted of each host, one step at a time. The next step comes from the table of src/hosts/state; each is
 * proved again, from the object as it is stored now and from the server as it is now, before anything is touched.
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

/** About as long as two inventories take. */
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
    if (current === undefined || current.metadata.uid !== host.metadata.uid) return 'overtaken';
    if (kind === 'keep' || kind === 'unkeep') return this.#hold(kind, current);
    if (kind === 'withdraw') return this.#withdraw(current);
    const server = await this.#look(current);
    const seen = withSeen(current, server);
    const view = await freshView(seen, isDestructive(kind) ? 'all-machines' : 'its-machines');
    const { step } = nextTransition(recordOf(seen), view, now());
    // What the listing said may be old: the server itself decides.
    if (step !== kind) return this.#recordSeen(current, server, view);
    return this.#take(kind, { host: current, server });
  }

  async #hold(kind: HoldStep, host: MacHostObject): Promise<ActionResult> {
    if (holdStepOf(host) !== kind) return 'overtaken';
    const { name, resourceVersion, finalizers: had = [] } = host.metadata;
    const others = had.filter((finalizer) => finalizer !== finalizers.hold.key);
    const held = kind === 'keep' ? [...others, finalizers.hold.key] : others;
    const merge = { metadata: { resourceVersion, finalizers: held } };
    await this.#ports.client.patch(macHosts, { name }, { merge });
    return 'asked';
  }

  /** Nothing about the server matters for it, which may be out of reach for hours. */
  async #withdraw(host: MacHostObject): Promise<ActionResult> {
    const { client, now, freshView } = this.#ports;
    const { step } = nextTransition(recordOf(host), await freshView(host, 'all-machines'), now());
    if (step !== 'withdraw') return 'overtaken';
    const { name, resourceVersion } = host.metadata;
    await client.patch(
      macHosts,
      { name },
      { merge: { metadata: { resourceVersion }, spec: { release: null } } },
    );
    return 'asked';
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
    // What was just done is seen by the next visit, which the change itself brings about.
    if (results.some(({ outcome }) => outcome === 'asked')) return;
    const { host } = observed;
    // As it is known after this visit.
    const status = statusPatch(observed, this.#refusals.of(host, verdictFor(observed).step));
    if (status === undefined) return;
    const { name, resourceVersion } = host.metadata;
    const merge = { metadata: { resourceVersion }, status };
    await this.#ports.client.patch(macHosts, { name, subresource: 'status' }, { merge });
  }

  /** Only what a person has to mend: the rest is tried again, and ends by itself. */
  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    const subject = subjectOf(macHosts, observed.host);
    const results = report.results.filter(
      ({ outcome }) => isFleetError(outcome) && outcome.kind === 'rejected',
    );
    return [...eventsFor(observed, subject, report), ...failuresIn(subject, { ...report, results })];
  }

  /** Undefined when the provider does not know it. */
  async #look({ metadata, status }: MacHostObject): Promise<Server | undefined> {
    const { provider, seen } = this.#ports;
    const zone = status?.observed?.zone;
    // Only a MacHost of no server has a step without a zone: the inventory found the server in none of the zones.
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
    return 'overtaken';
  }

  #notFound(): FleetError {
    const message = 'the provider does not find it; two inventories without it make it gone';
    const retryAt = this.#ports.now() + unfoundMs;
    return new FleetError('notYet', { reason: 'NotFound', message }, { retryAt });
  }
}

/**
 * One answer that does not find a server, beside listings that show it, is no reason to forget an order or a tenant:
 * inventories decide that. A host that never served anybody is made anew when it is seen again.
 */
function hasSomethingToLose(host: MacHostObject, view: FleetView): boolean {
  const record = recordOf(host);
  const ownership = view.ownershipOf(record);
  const wanted = desiredState(record, ownership);
  if (wanted === 'owned') return claimantIn(ownership.speakers)?.by.includes('serverID') === true;
  return wanted !== 'free';
}

/** Such an error may come before or after the request itself: the order asks for what is not possible, or the new name does not show. */
function isRefusal(error: unknown): error is FleetError {
  return isFleetError(error, 'rejected') || (isFleetError(error) && error.reason === 'RenameNotSeen');
}

/** Steps that take something from a machine that could speak for the host, or give it away. */
const destructiveSteps: ReadonlySet<string> = new Set<Action['kind']>([
  'wipe',
  'park',
  'offer',
  'end',
  'yield',
  'leave-to-person',
  'forget',
]);

function isDestructive(kind: Action['kind']): boolean {
  return destructiveSteps.has(kind);
}

/** The object as if an inventory had seen the server just now. */
function withSeen(host: MacHostObject, server: Server | undefined): MacHostObject {
  const before = host.status?.observed ?? {};
  const seen = server === undefined ? { status: goneStatus } : seenFields(server);
  return { ...host, status: { ...host.status, observed: { ...before, ...seen } } };
}

function seenFields({ name, type, statusText, delivered, deletionScheduled, os }: Server) {
  const plain = { name, type, status: statusText, delivered, deletionScheduled };
  return os === undefined ? plain : { ...plain, os };
}
