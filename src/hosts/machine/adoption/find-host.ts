/** Finds a host for a machine: the host that it already holds, the server with its name, or a free host. */
import { candidatesFor, countRefusals, refusals } from '../../state/candidates.ts';
import type { HostRecord } from '../../state/host-record.ts';
import { recordOf, type MachineObject } from '../../state/objects.ts';
import type { Decision, Observed } from '../decision.ts';
import { lateRename } from '../late-rename.ts';
import { namedServersText, ownServer } from '../own-name.ts';
import { waits } from '../poll-intervals.ts';
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
  const hindrance = validateMachine(machine, observed, namesake);
  const isNamed = named.length > 0;
  if (hindrance !== undefined && !(isNamed && sparesOwnServer.has(hindrance.reason)))
    return { ...hindrance, lookAgainMs: waits.forPerson };
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

export function freeHostFor(observed: Observed, records: readonly HostRecord[]): HostRecord | undefined {
  const requirements = requirementsOf(observed.machine, observed);
  return requirements && candidatesFor(records, requirements)[0];
}

function noneFor(observed: Observed, records: readonly HostRecord[]): Decision {
  const requirements = requirementsOf(observed.machine, observed);
  const counts = [...(requirements === undefined ? [] : countRefusals(records, requirements))].map(
    ([refusal, count]) => `${count}: ${refusals[refusal]}`,
  );
  const others = counts.length === 0 ? 'there is no host in the zone' : counts.join('; ');
  return {
    reason: 'NoAvailableHost',
    detail: `no free ${requirements?.type} with ${requirements?.os} in ${requirements?.zone}; ${others}`,
    lookAgainMs: waits.forHost,
  };
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
