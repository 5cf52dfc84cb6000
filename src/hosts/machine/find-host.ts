/** Which host a machine without a host takes: the one that it holds, the server of its name, or a free one. */
import { candidatesFor, countRefusals, refusals } from '../state/candidates.ts';
import type { HostRecord } from '../state/host-record.ts';
import { recordOf, type MachineObject } from '../state/objects.ts';
import type { Decision, Observed } from './decision.ts';
import { lateRename } from './late-rename.ts';
import { namedServersText, ownServer } from './own-name.ts';
import { waits } from './poll-intervals.ts';
import { validateMachine, requirementsOf, zonesOf } from './host-requirements.ts';

export function findHost(observed: Observed): Decision {
  const { machine, hosts } = observed;
  const records = hosts.map(recordOf);
  const held = records.find((host) => isHeldBy(host, machine));
  // mutation: machine-takes-claimed-host-first
  return held === undefined ? findOther(observed, records) : takeHeld(held);
}

/** The machine lost its record of the host that it holds; a second host would be one too many. */
function isHeldBy({ spec }: HostRecord, { metadata }: MachineObject): boolean {
  // mutation: held-host-is-still-claimed
  return spec.claim?.uid === metadata.uid && spec.release === undefined;
}

function takeHeld({ id, spec }: HostRecord): Decision {
  if (spec.hold === undefined) return intend(id, `it takes ${id}`);
  return { reason: 'Quarantined', detail: `its host ${id} is kept aside`, lookAgainMs: waits.forPerson };
}

function intend(hostId: string, detail: string): Decision {
  return { reason: 'Adopting', detail, action: { kind: 'intend', hostId } };
}

/** What keeps a machine from the pool says nothing about a server that has its name already. */
const sparesOwnServer: ReadonlySet<string> = new Set(['NoAdoptPoolPrefix', 'PoolPrefixRefused']);

function findOther(observed: Observed, records: readonly HostRecord[]): Decision {
  const { machine, namesake, named } = observed;
  const hindrance = validateMachine(machine, observed, namesake);
  const isNamed = named.length > 0;
  if (hindrance !== undefined && !(isNamed && sparesOwnServer.has(hindrance.reason)))
    return { ...hindrance, lookAgainMs: waits.forPerson };
  // A server without an object may carry the name of the machine.
  if (!observed.isListed) return awaitInventory(observed);
  // mutation: machine-takes-named-server-first
  if (isNamed) return takeNamed(observed);
  const renamed = lateRename(observed, records);
  if (renamed !== undefined) return awaitRename(renamed);
  const free = freeHostFor(observed, records);
  return free === undefined ? noneFor(observed, records) : intend(free.id, `it takes ${free.id}`);
}

function awaitRename(hostId: string): Decision {
  return {
    reason: 'Adopting',
    detail: `the server of ${hostId} may still be given its name; it takes no other host for some minutes`,
    lookAgainMs: waits.forStep,
  };
}

/** A machine takes no other host while a server carries its name: no two servers carry one name. */
function takeNamed({ machine, named }: Observed): Decision {
  const own = ownServer(named, machine)?.metadata.name;
  // mutation: claim-server-of-own-name
  if (own !== undefined) return intend(own, `it takes ${own}, which has its name already`);
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

/** A manager that has just begun to lead knows only the objects that others left. */
export function awaitInventory({ machine }: Observed): Decision {
  return {
    reason: 'NotYetObserved',
    detail: `it waits for the first inventory of ${[...new Set(zonesOf(machine))].join(' and ')}`,
    lookAgainMs: waits.forStep,
    isSilent: true,
  };
}
