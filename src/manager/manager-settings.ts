/** What can be set of the manager, under the names that fleets use already. */
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

/** The older tool waited for this long after each sweep; ours would do nothing else. */
const sweepIntervalMinMs = second;

export const managerSettings = settingTable({
  ...processSettings,
  ...olderSettings,
  ...providerSettings,
  ...runnerSettings,
  defaultAdoptPoolPrefix: optional(
    orNothing(text),
    'what names of free hosts begin with, for machines that do not say; without it such machines find no host',
  ),
  allowedPoolPrefixes: optional(
    list(text),
    'what pool prefixes that machines name must begin with, beside the default one; any, unless given',
  ),
  orphanReclaimZones: withDefault(notEmpty(list(text)), 'fr-par-1', 'the zones whose hosts are kept'),
  orphanReclaimClaimNamePrefix: optional(
    orNothing(text),
    'what names of our machines begin with, and of no other cluster in the project; with it stranded hosts are taken back, without it they are only reported',
  ),
  orphanReclaimInterval: withDefault(
    goDuration({ min: 1 }),
    '15m',
    'how often stranded hosts are taken back; less than 1s counts as 1s',
  ),
  inventoryInterval: withDefault(
    duration({ min: 5 * second, max: hour }),
    '30s',
    'how often the servers of each zone are listed',
  ),
  reclaimsMax: withDefault(
    wholeNumber({ min: 1, max: 100 }),
    '5',
    'how many stranded hosts are taken back at once',
  ),
  duplicateRepairsMax: withDefault(
    wholeNumber({ min: 0, max: 100 }),
    '5',
    'how many duplicates of hosts and machines are mended at once, of those that can be without doubt; 0: none',
  ),
  fleetSpreadDeployment: optional(
    orNothing(text),
    'a Deployment that is rolled when the set of ready Macs changes; without it none is',
  ),
  fleetSpreadNamespace: optional(
    orNothing(text),
    'the namespace of that Deployment; that of the Secrets unless given',
  ),
  hostPricePerDay: optional(
    prices,
    'what a host of a type costs a day in euros, for muster_host_euros_per_day; hosts of other types are counted beside',
  ),
  secretsNamespace: withDefault(text, 'default', 'the namespace of the Secrets with credentials of hosts'),
  machineMaxConcurrentReconciles: withDefault(
    // With more, a request could wait for its turn for longer than the lease allows for.
    wholeNumber({ min: 1, max: 100 }),
    '32',
    'how many machines, and how many hosts, are seen to at the same time',
  ),
  leaseDuration: withDefault(
    duration({ min: second, max: 10 * minute }),
    '15s',
    'how long a leader that says nothing is left in peace',
  ),
  leaseHandover: withDefault(
    duration({ min: 0, max: 10 * minute }),
    '30s',
    'how long a new leader waits for what the old one may have sent',
  ),
  providerDeadline: withDefault(
    duration({ min: second, max: 5 * minute }),
    '30s',
    'how long an answer of the provider is waited for',
  ),
});

/** A leader stops well before others may take its lease. */
const actShare = 8 / 15;

/** What the old leader sent last has ended before the new one begins, or the two could both change one host. */
function leaseOf(values: Values<typeof managerSettings>): FleetSettings['lease'] {
  const { leaseDuration: durationMs, leaseHandover: handoverMs, providerDeadline } = values;
  const actMs = durationMs * actShare;
  if (actMs + providerDeadline >= durationMs + handoverMs)
    throw new WrongSettings([
      `--lease-handover ${handoverMs / second}s is too short beside --provider-deadline ${providerDeadline / second}s: what a leader has sent could still arrive while the next one acts`,
    ]);
  return { durationMs, actMs, handoverMs };
}

/** By these alone it is known which hosts are free, and which are ours: one letter would make nearly all of them so. */
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

/** Nothing is allowed that would be refused all the same. */
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
