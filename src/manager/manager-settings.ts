/** What can be set of the manager, under the names that fleets use already. */
import { processSettings } from '../runtime/process/settings/process-settings.ts';
import {
  duration,
  list,
  notEmpty,
  orNothing,
  prices,
  text,
  wholeNumber,
} from '../runtime/process/settings/parsers.ts';
import { optional, settingTable, withDefault, type Values } from '../runtime/process/settings/setting.ts';
import { WrongSettings } from '../runtime/process/settings/read-settings.ts';
import type { FleetSettings } from './fleet-settings.ts';
import { olderSettings } from './older-settings.ts';
import { providerSettings } from './owned-hosts/settings.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export const managerSettings = settingTable({
  ...processSettings,
  ...olderSettings,
  ...providerSettings,
  defaultAdoptPoolPrefix: optional(
    orNothing(text),
    'what names of free hosts begin with, for machines that do not say; without it such machines find no host',
  ),
  orphanReclaimZones: withDefault(notEmpty(list(text)), 'fr-par-1', 'the zones whose hosts are kept'),
  orphanReclaimClaimNamePrefix: optional(
    orNothing(text),
    'what names of our machines begin with; with it stranded hosts are taken back, without it they are only reported',
  ),
  orphanReclaimInterval: withDefault(
    duration({ min: 10 * second, max: 24 * hour }),
    '15m',
    'how often stranded hosts are looked for',
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
    wholeNumber({ min: 1, max: 256 }),
    '16',
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

export function fleetSettingsOf(values: Values<typeof managerSettings>): FleetSettings {
  const pool = values.defaultAdoptPoolPrefix ?? '';
  const claim = values.orphanReclaimClaimNamePrefix ?? '';
  if (pool !== '' && claim !== '' && (pool.startsWith(claim) || claim.startsWith(pool)))
    throw new WrongSettings([
      `--default-adopt-pool-prefix ${pool} and --orphan-reclaim-claim-name-prefix ${claim} must differ from their beginnings on: else a host in use looks like a free one`,
    ]);
  return {
    zones: values.orphanReclaimZones,
    defaultPoolPrefix: pool,
    claimPrefix: claim,
    inventoryIntervalMs: values.inventoryInterval,
    sweepIntervalMs: values.orphanReclaimInterval,
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
