/**
 * Finds a host for a machine: the host that it already holds, the server with its name, or a free host. The machine
 * names the host first, and claims the host that it names at the next reconcile.
 */
import {
  candidatesFor,
  countIneligible,
  namedServersText,
  ownServer,
  ineligibilityTexts,
} from '../../state/candidates.ts';
import { lateRequestMs } from '../../state/host-transitions.ts';
import type { HostRecord } from '../../state/host-record.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { waits, type Decision, type Observed } from '../decision.ts';
import { validateMachine, requirementsOf, zonesOf } from './host-requirements.ts';

export function findHost(observed: Observed): Decision {
  const { machine, hosts } = observed;
  const records = hosts.map(recordOf);
  const held = records.find((host) => isHeldBy(host, machine));
  // mutation: machine-takes-claimed-host-first
  return held === undefined ? findOther(observed, records) : takeHeld(held);
}

/** The machine lost its record of this host. Without this check it would take a second host. */
function isHeldBy({ spec }: HostRecord, { metadata }: MachineObject): boolean {
  // mutation: held-host-is-still-claimed
  return spec.claim?.uid === metadata.uid && spec.release === undefined;
}

function takeHeld({ id, spec }: HostRecord): Decision {
  if (spec.hold === undefined) return intend(id, `the machine takes host ${id}`);
  return { reason: 'Quarantined', detail: `host ${id} of the machine is held`, lookAgainMs: waits.forPerson };
}

function intend(hostId: string, detail: string): Decision {
  return { reason: 'Adopting', detail, action: { kind: 'intend', hostId } };
}

/** These problems concern the pool, and do not matter for a server that already has the machine's name. */
const sparesOwnServer: ReadonlySet<string> = new Set(['NoAdoptPoolPrefix', 'PoolPrefixRefused']);

function findOther(observed: Observed, records: readonly HostRecord[]): Decision {
  const { machine, namesake, named } = observed;
  const blockingReason = validateMachine(machine, observed, namesake);
  const isNamed = named.length > 0;
  if (blockingReason !== undefined && !(isNamed && sparesOwnServer.has(blockingReason.reason)))
    return { ...blockingReason, lookAgainMs: waits.forPerson };
  // A server without a MacHost may carry the name of the machine.
  if (!observed.isListed) return awaitInventory(observed);
  // mutation: machine-takes-named-server-first
  if (isNamed) return takeNamed(observed);
  const renamed = lateRename(observed, records);
  if (renamed !== undefined) return awaitRename(renamed);
  const free = freeHostFor(observed, records);
  return free === undefined
    ? noneFor(observed, records)
    : intend(free.id, `the machine takes host ${free.id}`);
}

function awaitRename(hostId: string): Decision {
  return {
    reason: 'Adopting',
    detail: `the server of host ${hostId} may still get the name of the machine, so the machine takes no other host for some minutes`,
    lookAgainMs: waits.forStep,
  };
}

/** No two servers carry one name, so the machine takes no other host while a server has its name. */
function takeNamed({ machine, named }: Observed): Decision {
  const own = ownServer(named, machine)?.metadata.name;
  // mutation: claim-server-of-own-name
  if (own !== undefined) return intend(own, `the machine takes host ${own}, which already has its name`);
  return {
    reason: 'ServerNameTaken',
    detail: namedServersText(named, machine),
    lookAgainMs: waits.forHost,
  };
}

function freeHostFor(observed: Observed, records: readonly HostRecord[]): HostRecord | undefined {
  const requirements = requirementsOf(observed.machine, observed);
  return requirements && candidatesFor(records, requirements)[0];
}

function noneFor(observed: Observed, records: readonly HostRecord[]): Decision {
  const requirements = requirementsOf(observed.machine, observed);
  const counts = [...(requirements === undefined ? [] : countIneligible(records, requirements))].map(
    ([reason, count]) => `${count}: ${ineligibilityTexts[reason]}`,
  );
  const others = counts.length === 0 ? 'there is no host in the zone' : counts.join('; ');
  return {
    reason: 'NoAvailableHost',
    detail: `no free ${requirements?.type} with ${requirements?.os} in ${requirements?.zone}; ${others}`,
    lookAgainMs: waits.forHost,
  };
}

/** The machine names this host and is not bound: the machine claims it, or finds another host. */
export function claimHost(observed: Observed, host: MacHostObject): Decision {
  if (!mayClaim(observed, host)) return findHost(observed);
  return {
    reason: 'Adopting',
    detail: `the machine claims host ${host.metadata.name}`,
    action: { kind: 'claim', hostId: host.metadata.name },
  };
}

function mayClaim(observed: Observed, host: MacHostObject): boolean {
  const { machine, named } = observed;
  // mutation: machine-claims-meant-host-again
  if (observed.mayClaimAgain === true && named.length === 0) return true;
  if (named.length === 0) return freeHostFor(observed, [recordOf(host)]) !== undefined;
  // mutation: machine-keeps-server-of-its-name
  return ownServer(named, machine)?.metadata.name === host.metadata.name;
}

/** A new leader knows only the MacHosts that earlier leaders wrote. */
export function awaitInventory({ machine }: Observed): Decision {
  return {
    reason: 'NotYetObserved',
    detail: `the machine waits for the first inventory of ${[...new Set(zonesOf(machine))].join(' and ')}`,
    lookAgainMs: waits.forStep,
    isSilent: true,
  };
}

/**
 * The host whose server may still get the name of the machine: the rename was sent and is not visible yet. Its claim
 * may be lost, with the MacHost or with the machine that had the name before. A machine that took another host
 * meanwhile would leave two servers with one name.
 */
function lateRename({ machine, host, now }: Observed, records: readonly HostRecord[]): string | undefined {
  const isLost =
    host !== undefined && ((isRecreated(host) && isNew(host, now)) || wasReplacedByOrder(host, machine));
  if (isLost) return host.metadata.name;
  if (!isNew(machine, now)) return undefined;
  return records.find((record) => isOfFormer(record, machine))?.id;
}

/**
 * The machine names the host, but the MacHost has no claim: the MacHost was lost, and the inventory created it again.
 */
function isRecreated({ spec }: MacHostObject): boolean {
  return spec?.claim === undefined && spec?.used === true;
}

/** An order replaced the machine's claim. The order is dropped, and the machine claims the host again. */
function wasReplacedByOrder({ spec }: MacHostObject, { metadata }: MachineObject): boolean {
  const isOfMachine = spec?.claim === undefined && spec?.lastOwner?.uid === metadata.uid;
  return isOfMachine && spec?.release !== undefined;
}

/** The rename was sent for an earlier machine of this name, which existed until this machine was created. */
function isOfFormer({ spec, status }: HostRecord, { metadata }: MachineObject): boolean {
  const { claim, release } = spec;
  const isSameName = claim?.name === metadata.name && claim.namespace === metadata.namespace;
  const isPast = release !== undefined && status.wipe?.startedAt !== undefined;
  return isSameName && claim.uid !== metadata.uid && !isPast;
}

function isNew({ metadata }: MacHostObject | MachineObject, now: number): boolean {
  return now - Date.parse(metadata.creationTimestamp ?? '') < lateRequestMs;
}
