/** The settings of the manager, with the names that existing fleets use. */
import { goDuration } from '../platform/settings/go-duration.ts';
import { processSettings } from '../platform/settings/process-settings.ts';
import {
  duration,
  list,
  notEmpty,
  orNothing,
  prices,
  text,
  wholeNumber,
} from '../platform/settings/parsers.ts';
import { optional, settingTable, withDefault, type Values } from '../platform/settings/setting.ts';
import { claimPrefixFault, prefixFault } from '../hosts/state/pool-prefix.ts';
import { WrongSettings } from '../platform/settings/read-settings.ts';
import type { FleetSettings } from './host-settings.ts';
import { olderSettings } from './older-settings.ts';
import { providerSettings } from './owned-hosts/settings.ts';
import { runnersOf, runnerSettings } from './runner-pools/runner-settings.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The older tool waited for this long after each sweep. A shorter period would make Muster sweep all the time. */
const sweepIntervalMinMs = second;

export const managerSettings = settingTable({
  ...processSettings,
  ...olderSettings,
  ...providerSettings,
  ...runnerSettings,
  defaultAdoptPoolPrefix: optional(
    orNothing(text),
    'name prefix of free hosts, for machines without adoptPoolPrefix; without it such machines get no host',
  ),
  allowedPoolPrefixes: optional(
    list(text),
    'prefixes that an adoptPoolPrefix must begin with, besides the default; any if not set',
  ),
  orphanReclaimZones: withDefault(
    notEmpty(list(text)),
    'fr-par-1',
    'zones whose servers are listed, besides the zones of machines',
  ),
  orphanReclaimClaimNamePrefix: optional(
    orNothing(text),
    'name prefix of machines that no other cluster in the project uses; with it stranded hosts are reclaimed, without it only reported',
  ),
  orphanReclaimInterval: withDefault(
    goDuration({ min: 1 }),
    '15m',
    'period of the reclaim of stranded hosts; less than 1s counts as 1s',
  ),
  inventoryInterval: withDefault(
    duration({ min: 5 * second, max: hour }),
    '30s',
    'period between listings of the servers of each zone',
  ),
  reclaimsMax: withDefault(
    wholeNumber({ min: 1, max: 100 }),
    '5',
    'most stranded hosts to reclaim in one period',
  ),
  duplicateRepairsMax: withDefault(
    wholeNumber({ min: 0, max: 100 }),
    '5',
    'most repairs of duplicates in one pass; 0 only reports them',
  ),
  fleetSpreadDeployment: optional(orNothing(text), 'Deployment to roll when the set of ready Macs changes'),
  fleetSpreadNamespace: optional(
    orNothing(text),
    'namespace of that Deployment; --secrets-namespace if not set',
  ),
  hostPricePerDay: optional(
    prices,
    'rent of a server type in euros a day, for muster_host_euros_per_day; other types are counted separately',
  ),
  secretsNamespace: withDefault(text, 'default', 'namespace of the Secrets with credentials of hosts'),
  machineMaxConcurrentReconciles: withDefault(
    // With more workers, a request could wait in the rate limiter for longer than the lease allows.
    wholeNumber({ min: 1, max: 100 }),
    '32',
    'number of machines, and of hosts, reconciled at the same time',
  ),
  leaseDuration: withDefault(
    duration({ min: second, max: 10 * minute }),
    '15s',
    'time after which another replica may take the lease of a silent leader',
  ),
  leaseHandover: withDefault(
    duration({ min: 0, max: 10 * minute }),
    '30s',
    'time that a new leader waits for requests of the old leader to end',
  ),
  providerDeadline: withDefault(
    duration({ min: second, max: 5 * minute }),
    '30s',
    'deadline of a request to the provider',
  ),
});

/** A leader stops acting well before another replica may take the lease. */
const actShare = 8 / 15;

/** The last requests of the old leader must have ended before the new one acts, or both could change one host. */
function leaseOf(values: Values<typeof managerSettings>): FleetSettings['lease'] {
  const { leaseDuration: durationMs, leaseHandover: handoverMs, providerDeadline } = values;
  const actMs = durationMs * actShare;
  if (actMs + providerDeadline >= durationMs + handoverMs)
    throw new WrongSettings([
      `--lease-handover ${handoverMs / second}s is too short beside --provider-deadline ${providerDeadline / second}s: a request of the old leader could arrive while the new leader acts; set a longer --lease-handover`,
    ]);
  return { durationMs, actMs, handoverMs };
}

/**
 * These prefixes alone decide which hosts are free or belong to Muster: a single letter would match nearly all hosts.
 */
function prefixesOf({
  defaultAdoptPoolPrefix: pool = '',
  orphanReclaimClaimNamePrefix: claim = '',
}: Values<typeof managerSettings>): Pick<FleetSettings, 'defaultPoolPrefix' | 'claimPrefix'> {
  const poolFault = pool === '' ? undefined : prefixFault(pool, { claimPrefix: claim });
  const claimFault = claim === '' ? undefined : claimPrefixFault(claim);
  const faults = [
    ...(poolFault === undefined ? [] : [`--default-adopt-pool-prefix ${pool}: ${poolFault}`]),
    ...(claimFault === undefined ? [] : [`--orphan-reclaim-claim-name-prefix ${claim}: ${claimFault}`]),
  ];
  if (faults.length > 0) throw new WrongSettings(faults);
  return { defaultPoolPrefix: pool, claimPrefix: claim };
}

/** A prefix that would be rejected later must not be allowed here. */
function allowedOf(
  prefixes: readonly string[] = [],
  claimPrefix: string,
): Pick<FleetSettings, 'allowedPoolPrefixes'> {
  const faults = prefixes.flatMap((prefix) => {
    const fault = prefixFault(prefix, { claimPrefix });
    return fault === undefined ? [] : [`--allowed-pool-prefixes ${prefix}: ${fault}`];
  });
  if (faults.length > 0) throw new WrongSettings(faults);
  return prefixes.length === 0 ? {} : { allowedPoolPrefixes: prefixes };
}

export function fleetSettingsOf(values: Values<typeof managerSettings>): FleetSettings {
  const { defaultPoolPrefix, claimPrefix } = prefixesOf(values);
  const runners = runnersOf(values);
  return {
    ...(runners !== undefined && { runners }),
    zones: values.orphanReclaimZones,
    defaultPoolPrefix,
    claimPrefix,
    ...allowedOf(values.allowedPoolPrefixes, claimPrefix),
    inventoryIntervalMs: values.inventoryInterval,
    sweepIntervalMs: Math.max(sweepIntervalMinMs, values.orphanReclaimInterval),
    reclaimsMax: values.reclaimsMax,
    duplicateRepairsMax: values.duplicateRepairsMax,
    ...(values.fleetSpreadDeployment !== undefined && {
      fleetSpread: {
        deployment: values.fleetSpreadDeployment,
        namespace: values.fleetSpreadNamespace ?? values.secretsNamespace,
      },
    }),
    ...(values.hostPricePerDay !== undefined && { hostPrices: values.hostPricePerDay }),
    workers: values.machineMaxConcurrentReconciles,
    secretsNamespace: values.secretsNamespace,
    leaseNamespace: values.leaseNamespace,
    leaseName: values.leaseName,
    kubeRequests: { perSecond: values.kubeRequestsPerSecond, burst: values.kubeRequestsBurst },
    lease: leaseOf(values),
  };
}
