/**
 * Gives each machine a host and releases it. The host is named on the machine before it is claimed, and the claim is
 * a compare-and-set on the host. So a machine never holds two hosts, and a host never serves two machines.
 */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { mayClaimAgain, namedServers } from '../state/candidates.ts';
import {
  hostOf,
  hostsOf,
  machines,
  placeOf,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../state/objects.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import { MachineActions } from './actions.ts';
import { namesakeOf, requirementsOf, zonesOf } from './adoption/host-requirements.ts';
import { IntendedHosts } from './adoption/intended-hosts.ts';
import { hostFromProviderId } from './binding/restore-binding.ts';
import type { Action, Observed } from './decision.ts';
import { isServerNamedByPerson, isServingOthers, isShared } from './deletion/other-machines.ts';
import { mustRelease } from './deletion/release-order.ts';
import { holdsOf, type Holds } from './hold/operator-hold.ts';
import { decide, plan } from './plan.ts';
import type { MachinePorts } from './ports.ts';
import { eventsFor, missingIn, statusPatch } from './status.ts';

export class MachineController implements Controller<Observed, Action> {
  readonly name = 'machine';
  readonly plan = plan;
  readonly events = eventsFor;
  readonly #ports: MachinePorts;
  readonly #intended: IntendedHosts;
  readonly #actions: MachineActions;

  constructor(ports: MachinePorts) {
    this.#ports = ports;
    this.#intended = new IntendedHosts(ports);
    this.#actions = new MachineActions(ports, this.#intended);
  }

  async observe(key: string): Promise<Observed | undefined> {
    const { find, findHost, clusterReadiness, now, called, isListed } = this.#ports;
    const { defaultPoolPrefix, claimPrefix, allowedPoolPrefixes } = this.#ports;
    const machine = find(key);
    if (machine === undefined) return undefined;
    // Neither a paused nor an unready Cluster delays a deleted machine.
    const readiness = isDeleting(machine) ? 'ready' : await clusterReadiness(machine, 'remembered');
    const host = this.#hostOf(machine);
    // In a large fleet most visits are of machines that need no new host.
    const isSettled = isDeleting(machine) || host?.spec?.claim?.uid === machine.metadata.uid;
    const observed: Observed = {
      now: now(),
      machine,
      host,
      forgotten: findHost(hostFromProviderId(machine) ?? ''),
      ...this.#othersOn(host, machine),
      ...this.#named(machine, host, isSettled),
      hosts: isSettled ? [] : this.#hostsFor(machine),
      clusterReadiness: readiness,
      isListed: zonesOf(machine).every(isListed),
      namesake: namesakeOf(machine, called(machine.metadata.name)),
      ripePending: isSettled ? undefined : this.#ports.pendingAtRest(),
      defaultPoolPrefix,
      claimPrefix,
      allowedPoolPrefixes,
    };
    this.#keepForIt(observed);
    return observed;
  }

  #othersOn(
    host: MacHostObject | undefined,
    machine: MachineObject,
  ): Pick<Observed, 'isShared' | 'isServingOthers' | 'isNamedByPerson'> {
    if (host === undefined) return { isShared: false, isServingOthers: false, isNamedByPerson: false };
    return {
      isShared: isShared(this.#ports, host, machine),
      isServingOthers: isServingOthers(this.#ports, host, machine),
      isNamedByPerson: isServerNamedByPerson(this.#ports, host),
    };
  }

  /** Leaves out free hosts that another machine is about to claim. */
  #hostsFor(machine: MachineObject): readonly MacHostObject[] {
    return this.#ports
      .hosts()
      .filter(
        (host) => host.spec?.claim !== undefined || !this.#intended.isOfOther(host, machine.metadata.uid),
      );
  }

  #named(
    machine: MachineObject,
    host: MacHostObject | undefined,
    isSettled: boolean,
  ): Pick<Observed, 'named' | 'mayClaimAgain' | keyof Holds> {
    const { hostsAbout, view } = this.#ports;
    const { ownershipOf } = view();
    const ownershipIn = (one: MacHostObject) => ownershipOf(recordOf(one));
    return {
      named: isSettled ? [] : namedServers(hostsAbout(machine), machine, ownershipIn),
      mayClaimAgain: !isSettled && this.#mayClaimAgain(host, machine),
      ...holdsOf(this.#ports, machine),
    };
  }

  #mayClaimAgain(host: MacHostObject | undefined, machine: MachineObject): boolean {
    const { meaning, pendingAtRest } = this.#ports;
    if (host === undefined) return false;
    const requirements = requirementsOf(machine, { ...this.#ports, ripePending: pendingAtRest() });
    return mayClaimAgain(host, machine, { machines: meaning(hostOf(machine) ?? ''), requirements });
  }

  /**
   * For a deleted machine, first a host that it still has to release: an operator may have written two hosts onto it.
   */
  #hostOf(machine: MachineObject): MacHostObject | undefined {
    const { findHost } = this.#ports;
    const said = hostsOf(machine).flatMap((id) => findHost(id) ?? []);
    const isLeft = (host: MacHostObject): boolean =>
      mustRelease(host, machine, isShared(this.#ports, host, machine));
    return (isDeleting(machine) ? said.find(isLeft) : undefined) ?? findHost(hostOf(machine) ?? '');
  }

  /** Many machines are planned at once: the next machine must not choose the same host. */
  #keepForIt(observed: Observed): void {
    const { action } = decide(observed);
    if (action?.kind !== 'intend') return;
    this.#intended.keep(action.hostId, observed.machine.metadata.uid);
  }

  act(action: Action, observed: Observed): Promise<ActionResult> {
    return this.#actions.take(action, observed);
  }

  async status(observed: Observed, { results }: Report<Action>): Promise<void> {
    // The change made by this visit triggers the next visit, which writes the status.
    if (results.some(({ outcome }) => outcome === 'requested')) return;
    const { machine } = observed;
    const status = statusPatch(observed, missingIn(results) ?? decide(observed));
    if (status === undefined) return;
    const { resourceVersion } = machine.metadata;
    const place = { ...placeOf(machine), subresource: 'status' };
    await this.#ports.client.patch(machines, place, { merge: { metadata: { resourceVersion }, status } });
  }
}
