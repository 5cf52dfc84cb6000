/** What can be set of `muster dispatch`. */
import { Secret } from '../platform/secret.ts';
import { usualRecovery } from './recovery/recovery-defaults.ts';
import { workerNames } from './recovery/scheduler/worker-names.ts';
import { allowedAccounts } from './webhooks/allowed-accounts.ts';
import type { ServiceAccountName } from './api/manager-api.ts';
import { profileSettings } from './profile-settings.ts';
import { url } from '../platform/settings/network-parsers.ts';
import {
  address,
  duration,
  file,
  list,
  oneOf,
  repeatable,
  secretFile,
  text,
  wholeNumber,
} from '../platform/settings/parsers.ts';
import { processSettings } from '../platform/settings/process-settings.ts';
import { WrongSettings } from '../platform/settings/read-settings.ts';
import {
  optional,
  required,
  settingTable,
  withDefault,
  WrongValue,
  type Parser,
  type Values,
} from '../platform/settings/setting.ts';

const second = 1000;
/** As many as the chart lets somebody ask for. */
const replicasMax = 50;

/** It may hold a password, so it is never repeated. */
const databaseUrl: Parser<Secret> = {
  placeholder: 'url',
  expects: 'postgres://user:password@host:port/name',
  isDelicate: true,
  parse: (given) => {
    if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given))
      throw new WrongValue('it is no such address');
    return new Secret(given);
  },
};

const serviceAccount: Parser<ServiceAccountName> = {
  placeholder: 'namespace/name',
  expects: 'the namespace and the name of a ServiceAccount, such as muster-system/muster-manager',
  parse: (given) => {
    const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(given) ?? [];
    if (namespace === undefined || name === undefined) throw new WrongValue('it is no such name');
    return { namespace, name };
  },
};

/** All names would not fit beside the flag. */
const pausable = { ...list(oneOf(workerNames)), placeholder: 'names' };

const { logLevel, probeListen, stopDeadline, cacheAgeMax, kubeconfig, kubeContext } = processSettings;

export const dispatchSettings = settingTable({
  databaseUrl: required(databaseUrl, 'the database with queue, claims and sessions'),
  databaseConnectionsMax: withDefault(
    wholeNumber({ min: 2, max: 1000 }),
    '20',
    'how many connections to the database this replica may have',
  ),
  listen: withDefault(
    address,
    '127.0.0.1:8090',
    'where webhooks and runner Pods are answered; in a Pod give 0.0.0.0:8090',
  ),
  namespace: withDefault(text, 'tuist-runners', 'the namespace of runner Pods and their pools'),
  githubUrl: withDefault(
    url,
    'https://api.github.com',
    'the API of GitHub; of an Enterprise Server https://HOST/api/v3',
  ),
  githubAppId: required(text, 'the id of the GitHub App'),
  githubAppKeyFile: required(file, 'the private key of the App, as GitHub gave it'),
  webhookSecretFile: required(
    repeatable(secretFile),
    'the secret of the webhook of the App, in a file; the old and the new one while it is being replaced',
  ),
  allowedAccounts: withDefault(
    allowedAccounts,
    '',
    'the accounts at GitHub whose installation of the App is accepted, by login or as id:4711; * accepts anybody, who then gets runners of yours',
  ),
  replicas: withDefault(
    wholeNumber({ min: 1, max: replicasMax }),
    '1',
    'how many replicas of dispatch there are: GitHub limits registrations of an organisation, and each takes its share',
  ),
  pollWait: withDefault(
    duration({ min: second, max: 8 * second }),
    '7s',
    'how long a job is chosen for a runner that asks; two seconds are left to register it, and runners give up after ten',
  ),
  staleClaimAfter: withDefault(
    duration({ min: 30 * second, max: 3600 * second }),
    '5m',
    'a Pod that was reserved and got no registration for this long is free again, and its job waits again',
  ),
  orphanedRunnerAfter: withDefault(
    duration({ min: 60 * second, max: 6 * 3600 * second }),
    '5m',
    'a runner that got no job for this long after its registration was handed out is asked about at GitHub',
  ),
  orphanedPodGrace: withDefault(
    duration({ min: 60 * second, max: 24 * 3600 * second }),
    '5m',
    'how long a Pod may carry the mark of an owner without a claim or a session before it is removed',
  ),
  orphanedPodsMax: withDefault(
    wholeNumber({ min: 0, max: 1000 }),
    String(usualRecovery.orphanedPodsMax),
    'how many such Pods are removed in one minute at most; 0 removes none',
  ),
  recoveryPaused: withDefault(
    pausable,
    '',
    `parts of the recovery that do nothing, for example while somebody looks into what they do: ${workerNames.join(', ')}`,
  ),
  ...profileSettings,
  managerServiceAccount: withDefault(
    serviceAccount,
    'muster-system/muster-manager',
    'the ServiceAccount of the manager, which alone may report that a Pod has ended',
  ),
  logLevel,
  probeListen,
  stopDelay: withDefault(
    duration({ min: 0, max: 20 * second }),
    '0s',
    'how long it goes on, unready, after it was told to stop, for webhooks that are still sent to it; a part of --stop-deadline, and at least 5s less',
  ),
  stopDeadline,
  cacheAgeMax,
  kubeconfig,
  kubeContext: optional(kubeContext.parser, kubeContext.help),
});

/** What is being handed out when it stops is finished or undone within this. */
const finishMs = 5 * second;

/** Whoever lingers until the deadline ends in the middle of what is under way. */
export function stopTimesOf({
  stopDelay: lingerMs,
  stopDeadline: deadlineMs,
}: Pick<Values<typeof dispatchSettings>, 'stopDelay' | 'stopDeadline'>): {
  readonly lingerMs: number;
  readonly deadlineMs: number;
} {
  if (lingerMs > 0 && lingerMs + finishMs > deadlineMs)
    throw new WrongSettings([
      `--stop-delay ${lingerMs / second}s is too long beside --stop-deadline ${deadlineMs / second}s: at least ${finishMs / second}s must be left to finish what is under way`,
    ]);
  return { lingerMs, deadlineMs };
}
