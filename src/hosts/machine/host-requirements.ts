/** What a machine may take, and what keeps it from taking anything: its prefix, or its own name. */
import { isClaimPendingName } from '../../api/names/host-names.ts';
import { parseProviderId } from '../../api/names/provider-id.ts';
import type { Reason } from '../../api/conditions/reasons.ts';
import type { HostRequirements } from '../state/candidates.ts';
import { isNamedAsOffered } from '../state/host-state.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { prefixFault, type PrefixRules } from '../state/pool-prefix.ts';
import { poolPrefixOf } from '../state/release-policy.ts';

export interface PoolRules extends PrefixRules {
  readonly defaultPoolPrefix: string;
  /** Hosts whose pending name belongs to no adoption any more, by id. */
  readonly ripePending?: ReadonlySet<string> | undefined;
}

const noHosts: ReadonlySet<string> = new Set();

export interface BlockingReason {
  readonly reason: Reason;
  readonly detail: string;
}

/** The Secret with the credentials is called after the machine, and names end at 253 letters. */
export const nameLengthMax = 253 - '-bootstrap'.length;

const usualZone = 'fr-par-1';

export function requirementsOf(machine: MachineObject, rules: PoolRules): HostRequirements | undefined {
  const poolPrefix = poolPrefixOf(machine.spec?.adoptPoolPrefix, rules.defaultPoolPrefix);
  if (poolPrefix === undefined || faultOf(machine, rules) !== undefined) return undefined;
  const { defaultPoolPrefix, ripePending = noHosts } = rules;
  return { ...requiredOf(machine), poolPrefix, defaultPoolPrefix, ripePending };
}

/** What a host must be, whatever its name. */
export function requiredOf({ spec }: MachineObject): Pick<HostRequirements, 'zone' | 'type' | 'os'> {
  return { zone: spec?.zone ?? usualZone, type: spec?.type ?? 'M2-L', os: spec?.os ?? 'Tahoe' };
}

/** Where the server was, not where the next one is wanted. */
export function zoneOf(spec: MachineObject['spec']): string {
  const parsed = parseProviderId(spec?.providerID ?? '');
  return parsed.ok ? parsed.address.zone : (spec?.zone ?? usualZone);
}

/** Where its host is, or is looked for. */
export function zonesOf({ spec }: MachineObject): readonly string[] {
  return [zoneOf(spec), spec?.zone ?? usualZone];
}

/** Only of its own prefix: that of the manager was looked at when the manager started. */
function faultOf({ spec }: MachineObject, rules: PoolRules): string | undefined {
  const own = spec?.adoptPoolPrefix ?? '';
  return own === '' || own === rules.defaultPoolPrefix ? undefined : prefixFault(own, rules);
}

/** `namesake`: a machine of the same name elsewhere that came first; host and Secret would have one name for both. */
export function validateMachine(
  machine: MachineObject,
  rules: PoolRules,
  namesake: string | undefined,
): BlockingReason | undefined {
  if (machine.metadata.name.length > nameLengthMax)
    return {
      reason: 'NameTooLong',
      detail: `no more than ${nameLengthMax} letters leave room for the name of its Secret`,
    };
  if (namesake !== undefined)
    return {
      reason: 'NameTaken',
      detail: `${namesake} has the same name, and hosts and Secrets are called after machines; delete one of them`,
    };
  const fault = faultOf(machine, rules);
  if (fault !== undefined)
    return {
      reason: 'PoolPrefixRefused',
      detail: `spec.adoptPoolPrefix ${JSON.stringify(machine.spec?.adoptPoolPrefix)} is not used: ${fault}`,
    };
  if (requirementsOf(machine, rules) !== undefined) return undefined;
  return {
    reason: 'NoAdoptPoolPrefix',
    detail: 'set spec.adoptPoolPrefix, or start the manager with --default-adopt-pool-prefix',
  };
}

/**
 * Whoever says that it has a host is believed as long as the name of the server does not speak for somebody else.
 * Undefined while nobody knows that name.
 */
export function serverNameMatches(
  host: MacHostObject,
  machine: MachineObject,
  rules: PoolRules,
): boolean | undefined {
  const name = host.status?.observed?.name;
  if (name === undefined) return undefined;
  if (name === machine.metadata.name || isClaimPendingName(name)) return true;
  const prefixes = [requirementsOf(machine, rules)?.poolPrefix ?? '', rules.defaultPoolPrefix];
  return isNamedAsOffered(recordOf(host), prefixes);
}

/** The one of the same name in another namespace that came first: the one with a host, else the older one. */
export function namesakeOf(machine: MachineObject, others: readonly MachineObject[]): string | undefined {
  const { uid, namespace = '' } = machine.metadata;
  const first = others.find(
    (other) =>
      other.metadata.uid !== uid &&
      ((other.status?.serverID ?? '') !== '' || rankOf(other) < rankOf(machine)) &&
      other.metadata.namespace !== namespace,
  );
  return first && `${first.metadata.namespace}/${first.metadata.name}`;
}

function rankOf({ metadata }: MachineObject): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.namespace}`;
}
