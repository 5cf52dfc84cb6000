/**
 * The steps of a host. Each step has a proven premise, records its intent before a call whose answer may be lost, and
 * writes the object with a precondition.
 */
import type { HostStatus } from '../state/host-record.ts';
import type { FleetView } from '../state/host-state.ts';
import { hostSteps, type HostStep } from '../state/host-steps.ts';
import { newestOfFamily } from '../state/os-families.ts';
import { macHosts, type MacHostObject } from '../state/objects.ts';
import { prefixFault } from '../state/pool-prefix.ts';
import { observedOf } from '../state/observed-server.ts';
import { timeText } from '../../platform/time-text.ts';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Server } from '../provider/port.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { HostPorts } from './ports.ts';

/** The object as stored and the server as the provider shows it, both read for this step. */
export interface Proven {
  readonly host: MacHostObject;
  readonly server: Server | undefined;
}

/** The steps for which the server is read. */
export type StepKind = Exclude<HostStep, 'none' | 'cancel-order'>;
interface WipeImage {
  readonly id: string | undefined;
  /** The order requests a family of which no image is on offer. */
  readonly isMissing: boolean;
}
const notBegun = { refusedAt: null, startedAt: null, renamedAt: null, parkedAt: null, completedAt: null };
type Present = { readonly host: MacHostObject; readonly server: Server };

/** How long a new name may take to appear. */
const seenWithinMs = 30_000;

export class HostSteps {
  readonly #ports: HostPorts;
  readonly #onFailure: (host: MacHostObject, step: StepKind, error: FleetError) => void;

  /** `onFailure` is called for each failed request that changes a server. */
  constructor(
    ports: HostPorts,
    onFailure: (host: MacHostObject, step: StepKind, error: FleetError) => void = () => undefined,
  ) {
    this.#ports = ports;
    this.#onFailure = onFailure;
  }

  async take(kind: StepKind, { host, server }: Proven): Promise<ActionResult> {
    if (kind === 'delete-record') return this.#deleteRecord(host);
    return server === undefined ? 'precondition-lost' : this.#steps[kind]({ host, server });
  }

  readonly #steps: Readonly<
    Record<Exclude<StepKind, 'delete-record'>, (given: Present) => Promise<ActionResult>>
  > = {
    'rename-to-machine': (given) => this.#renameToMachine(given),
    'drop-claim': ({ host }) => this.#dropClaim(host),
    'leave-to-person': (given) => this.#handToPerson(given),
    wipe: (given) => this.#wipe(given),
    'record-wipe-start': (given) => this.#recordWipeStart(given),
    'rename-to-pool': (given) => this.#renameToPool(given),
    'record-wipe-completion': (given) => this.#recordWipeCompletion(given),
    'return-to-pool': ({ host }) => this.#returnToPool(host),
    terminate: (given) => this.#terminate(given),
  };

  /**
   * Another cluster in the same project may want the same server, so the name is read before and after the request.
   */
  async #renameToMachine({ host, server }: Present): Promise<ActionResult> {
    const after = await this.#rename('rename-to-machine', { host, server }, host.spec?.claim?.name ?? '');
    await this.#status(host, { observed: observedOf(after) });
    return 'requested';
  }

  /** An accepted rename proves nothing: the name that the provider shows afterwards counts. */
  async #rename(step: StepKind, given: Present, name: string): Promise<Server> {
    const { provider, seen, now } = this.#ports;
    const { server } = given;
    await this.#send(step, given, () => provider.rename(server, name));
    const after = await provider.getServer(server);
    seen(after);
    if (after.name !== server.name || after.name === name) return after;
    const said = {
      reason: 'RenameNotSeen',
      message: `the provider accepted the name ${name}, but still shows ${after.name}`,
    } as const;
    throw new FleetError('notYet', said, { retryAt: now() + seenWithinMs });
  }

  async #wipe({ host, server }: Present): Promise<ActionResult> {
    const { provider, now, view } = this.#ports;
    // A host without a valid pool name could not be returned to the pool, so it is not wiped.
    // mutation: wipe-needs-pool-prefix
    poolPrefixIn(host, view());
    const image = await this.#imageFor(host, server);
    // Recorded first: if the answer is lost, the next replica knows that a wipe may begin.
    const order = host.spec?.release?.orderedAt;
    const missingFamily = image.isMissing ? host.spec?.release?.osFamily : null;
    await this.#status(host, {
      wipe: { ...notBegun, order, ownerUid: ownerUidOf(host), askedAt: timeText(now()), missingFamily },
    });
    try {
      await this.#send('wipe', { host, server }, () => provider.reinstall(server, image.id));
    } catch (error) {
      if (isAnswered(error)) await this.#noteRefusal(host);
      throw error;
    }
    return 'requested';
  }

  /**
   * The newest image of the ordered family. Without one the default image is used: a missing family never keeps a
   * host.
   */
  async #imageFor({ spec }: MacHostObject, { zone, type }: Server): Promise<WipeImage> {
    const family = spec?.release?.osFamily;
    if (family === undefined || family === '') return { id: undefined, isMissing: false };
    const id = newestOfFamily(await this.#ports.provider.listOs(zone, type), family)?.id;
    // mutation: wipe-without-pinned-image
    return { id, isMissing: id === undefined };
  }

  async #recordWipeStart({ host, server }: Present): Promise<ActionResult> {
    const wipe = begunWipe(host, timeText(this.#ports.now()));
    await this.#status(host, { wipe, observed: observedOf(server) });
    return 'requested';
  }

  async #renameToPool({ host, server }: Present): Promise<ActionResult> {
    const { now, view } = this.#ports;
    const prefix = poolPrefixIn(host, view());
    await this.#status(host, { wipe: { renamedAt: timeText(now()) } });
    const after = await this.#rename('rename-to-pool', { host, server }, `${prefix}${server.id}`);
    await this.#seen(host, observedOf(after));
    return 'requested';
  }

  async #recordWipeCompletion({ host, server }: Present): Promise<ActionResult> {
    const installEpoch = (host.status?.installEpoch ?? 0) + 1;
    const wipe = { completedAt: timeText(this.#ports.now()) };
    await this.#status(host, { wipe, installEpoch, observed: observedOf(server) });
    return 'requested';
  }

  /** The host was never used under this claim. */
  #dropClaim(host: MacHostObject): Promise<ActionResult> {
    return this.#spec(host, { claim: null, used: null, release: null });
  }

  /** The wipe removed all data of the last owner. */
  #returnToPool(host: MacHostObject): Promise<ActionResult> {
    return this.#spec(host, { claim: null, used: null, release: null, lastOwner: null, personName: null });
  }

  #handToPerson({ host, server }: Present): Promise<ActionResult> {
    return this.#spec(host, { claim: null, used: true, release: null, personName: server.name });
  }

  /** Claim, order and marks change in one write. */
  async #spec({ metadata }: MacHostObject, spec: object): Promise<ActionResult> {
    const { name, resourceVersion } = metadata;
    await this.#ports.client.patch(macHosts, { name }, { merge: { metadata: { resourceVersion }, spec } });
    return 'requested';
  }

  /** Within the minimum rental period, the end of the rent can only be scheduled. */
  async #terminate({ host, server }: Present): Promise<ActionResult> {
    const { provider } = this.#ports;
    // The precondition fails if the order has changed since it was read.
    await this.#status(host, {
      state: 'Terminating',
      reason: 'Deleting',
      ...sinceOf(host, this.#ports.now()),
    });
    const given = { host, server };
    try {
      await this.#send('terminate', given, () => provider.delete(server));
    } catch (error) {
      // mutation: billing-floor-schedules-deletion
      if (!isFleetError(error) || error.reason !== 'BillingFloor') throw error;
      await this.#send('terminate', given, () => provider.scheduleDeletion(server));
    }
    await this.#seen(host, { deletionScheduled: true });
    return 'requested';
  }

  #noteRefusal(host: MacHostObject): Promise<void> {
    return this.#fact(host, { wipe: { refusedAt: timeText(this.#ports.now()) } });
  }

  #seen(host: MacHostObject, observed: object): Promise<void> {
    return this.#fact(host, { observed });
  }

  /** Without a precondition: what happened at the provider is recorded whatever else was written meanwhile. */
  async #fact({ metadata }: MacHostObject, status: object): Promise<void> {
    const place = { name: metadata.name, subresource: 'status' };
    await this.#ports.client.patch(macHosts, place, { merge: { status } });
  }

  async #deleteRecord({ metadata }: MacHostObject): Promise<ActionResult> {
    const { name, uid, resourceVersion } = metadata;
    await this.#ports.client.delete(macHosts, { name }, { uid, resourceVersion });
    return 'requested';
  }

  async #status({ metadata }: MacHostObject, status: object): Promise<void> {
    const { name, resourceVersion } = metadata;
    const merge = { metadata: { resourceVersion }, status };
    await this.#ports.client.patch(macHosts, { name, subresource: 'status' }, { merge });
  }

  /** The lease is checked just before each request that changes the server, because the reads before it took time. */
  async #send(kind: StepKind, { host, server }: Present, request: () => Promise<void>): Promise<void> {
    const { mayAct, touched } = this.#ports;
    // mutation: only-leader-wipes
    if (!mayAct())
      throw new FleetError('notYet', {
        reason: 'NotLeading',
        message: `this replica no longer leads, so it did not take the step: ${hostSteps[kind]}`,
      });
    touched(server);
    try {
      await request();
    } catch (error) {
      if (isFleetError(error)) this.#onFailure(host, kind, error);
      throw error;
    }
  }
}

/** The wipe that this order requested, or one that began without a request. */
function begunWipe(host: MacHostObject, at: string): object {
  const { spec, status } = host;
  const { wipe } = status ?? {};
  const order = spec?.release?.orderedAt ?? wipe?.order;
  const asked = wipe?.order === order ? wipe : undefined;
  const ownerUid = asked?.ownerUid ?? ownerUidOf(host);
  return { ...notBegun, order, ownerUid, ...askedFields(asked, at), startedAt: at };
}

function askedFields(asked: HostStatus['wipe'], at: string): object {
  return { askedAt: asked?.askedAt ?? at, missingFamily: asked?.missingFamily ?? null };
}

function ownerUidOf({ spec }: MacHostObject): string {
  return spec?.lastOwner?.uid ?? '';
}

/** The request was not sent, or the provider answered it, so no late copy of it can arrive. */
function isAnswered(error: unknown): boolean {
  return isFleetError(error) && error.reason !== 'OutcomeUnknown' && error.reason !== 'NotLeading';
}

/** Set only when the state changes. */
function sinceOf({ status }: MacHostObject, now: number): { readonly since?: string } {
  return status?.state === 'Terminating' ? {} : { since: timeText(now) };
}

/** Orders written by hand may have a bad prefix. With such a name the host would look like one in use. */
function poolPrefixIn({ spec }: MacHostObject, { poolPrefixes, claimPrefix }: FleetView): string {
  const prefix = spec?.release?.poolPrefix;
  if (prefix === undefined)
    throw new FleetError('rejected', {
      reason: 'NoAdoptPoolPrefix',
      message: 'the release order has no pool prefix, so the host gets no name; set spec.release.poolPrefix',
    });
  const fault = poolPrefixes.includes(prefix) ? undefined : prefixFault(prefix, { claimPrefix });
  if (fault === undefined) return prefix;
  throw new FleetError('rejected', {
    reason: 'PoolPrefixRefused',
    message: `the pool prefix of the release order is invalid: ${fault}; set another spec.release.poolPrefix`,
  });
}
