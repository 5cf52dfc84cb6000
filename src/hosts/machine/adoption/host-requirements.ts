/** The host that a machine needs, and the reasons that keep it from taking any host. */
import { isClaimPendingName } from '../../../api/names/host-names.ts';
import { parseProviderId } from '../../../api/names/provider-id.ts';
import type { Reason } from '../../../api/conditions/reasons.ts';
import { requiredOf, usualZone, type HostRequirements } from '../../state/candidates.ts';
import { isNamedAsOffered } from '../../state/host-state.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { prefixFault, type PrefixRules } from '../../state/pool-prefix.ts';
import { poolPrefixOf } from '../../state/release-policy.ts';

export interface PoolRules extends PrefixRules {
  readonly defaultPoolPrefix: string;
  /** Ids of hosts whose pending name was left by an adoption that was cut off. */
  readonly ripePending?: ReadonlySet<string> | undefined;
}

const noHosts: ReadonlySet<string> = new Set();

export interface BlockingReason {
  readonly reason: Reason;
  readonly detail: string;
}

/** The Secret with the credentials is named after the machine, and names end at 253 characters. */
export const nameLengthMax = 253 - '-bootstrap'.length;

export function requirementsOf(machine: MachineObject, rules: PoolRules): HostRequirements | undefined {
  const poolPrefix = poolPrefixOf(machine.spec?.adoptPoolPrefix, rules.defaultPoolPrefix);
  if (poolPrefix === undefined || faultOf(machine, rules) !== undefined) return undefined;
  const { defaultPoolPrefix, ripePending = noHosts } = rules;
  return { ...requiredOf(machine), poolPrefix, defaultPoolPrefix, ripePending };
}

/** The zone of the current server, which may differ from the requested zone. */
export function zoneOf(spec: MachineObject['spec']): string {
  const parsed = parseProviderId(spec?.providerID ?? '');
  return parsed.ok ? parsed.address.zone : (spec?.zone ?? usualZone);
}

/** The zone of the current host and the requested zone. */
export function zonesOf({ spec }: MachineObject): readonly string[] {
  return [zoneOf(spec), spec?.zone ?? usualZone];
}

/** Checks only the machine's own prefix: the manager checks its default at start. */
function faultOf({ spec }: MachineObject, rules: PoolRules): string | undefined {
  const own = spec?.adoptPoolPrefix ?? '';
  return own === '' || own === rules.defaultPoolPrefix ? undefined : prefixFault(own, rules);
}

/**
 * `namesake`: an older machine of the same name in another namespace. Host and Secret can have the name only once.
 */
export function validateMachine(
  machine: MachineObject,
  rules: PoolRules,
  namesake: string | undefined,
): BlockingReason | undefined {
  if (machine.metadata.name.length > nameLengthMax)
    return {
      reason: 'NameTooLong',
      detail: `the name of the machine may have ${nameLengthMax} characters, because its Secret is named after it`,
    };
  if (namesake !== undefined)
    return {
      reason: 'NameTaken',
      detail: `${namesake} has the same name, and hosts and Secrets are named after machines; delete one of the machines`,
    };
  const fault = faultOf(machine, rules);
  if (fault !== undefined)
    return {
      reason: 'PoolPrefixRefused',
      detail: `spec.adoptPoolPrefix ${JSON.stringify(machine.spec?.adoptPoolPrefix)} is invalid: ${fault}`,
    };
  if (requirementsOf(machine, rules) !== undefined) return undefined;
  return {
    reason: 'NoAdoptPoolPrefix',
    detail: 'set spec.adoptPoolPrefix, or start the manager with --default-adopt-pool-prefix',
  };
}

/**
 * A machine that is bound to a host is trusted unless the server has a name of another kind. Undefined while no
 * inventory has shown the name.
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

/** The namesake in another namespace that takes precedence: a machine with a host, otherwise the older machine. */
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
