/** The settings of `muster dispatch`. */
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
/** The maximum of the chart. */
const replicasMax = 50;

/** May contain a password, so errors never repeat the value. */
const databaseUrl: Parser<Secret> = {
  placeholder: 'url',
  expects: 'postgres://user:password@host:port/name',
  isDelicate: true,
  parse: (given) => {
    if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given))
      throw new WrongValue('that is not such an address');
    return new Secret(given);
  },
};

const serviceAccount: Parser<ServiceAccountName> = {
  placeholder: 'namespace/name',
  expects: 'the namespace and the name of a ServiceAccount, such as muster-system/muster-manager',
  parse: (given) => {
    const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(given) ?? [];
    if (namespace === undefined || name === undefined) throw new WrongValue('that is not such a name');
    return { namespace, name };
  },
};

/** The list of names would not fit beside the flag. */
const pausable = { ...list(oneOf(workerNames)), placeholder: 'names' };

const { logLevel, probeListen, stopDeadline, cacheAgeMax, kubeconfig, kubeContext } = processSettings;

export const dispatchSettings = settingTable({
  databaseUrl: required(databaseUrl, 'the database with queue, claims and sessions'),
  databaseConnectionsMax: withDefault(
    wholeNumber({ min: 2, max: 1000 }),
    '20',
    'the maximum number of database connections of this replica',
  ),
  listen: withDefault(
    address,
    '127.0.0.1:8090',
    'the address for webhooks and runner Pods; in a Pod give 0.0.0.0:8090',
  ),
  namespace: withDefault(text, 'tuist-runners', 'the namespace of runner Pods and their pools'),
  githubUrl: withDefault(
    url,
    'https://api.github.com',
    'the API of GitHub; for an Enterprise Server https://HOST/api/v3',
  ),
  githubAppId: required(text, 'the id of the GitHub App'),
  githubAppKeyFile: required(file, 'the private key of the App, in PEM'),
  webhookSecretFile: required(
    repeatable(secretFile),
    'a file with the webhook secret of the App; both old and new during a rotation',
  ),
  allowedAccounts: withDefault(
    allowedAccounts,
    '',
    'the GitHub accounts whose installation of the App is accepted, by login or as id:4711; * lets any account use your runners',
  ),
  replicas: withDefault(
    wholeNumber({ min: 1, max: replicasMax }),
    '1',
    'the number of dispatch replicas, which share the registration limit of GitHub per organisation',
  ),
  pollWait: withDefault(
    duration({ min: second, max: 8 * second }),
    '7s',
    'how long a poll waits for a job; registration takes up to two seconds more, and runners give up after ten',
  ),
  staleClaimAfter: withDefault(
    duration({ min: 30 * second, max: 3600 * second }),
    '5m',
    'the age at which a claim without a registration is released and its job requeued',
  ),
  orphanedRunnerAfter: withDefault(
    duration({ min: 60 * second, max: 6 * 3600 * second }),
    '5m',
    'the time after a hand-out without a started job before GitHub is queried for the job',
  ),
  orphanedPodGrace: withDefault(
    duration({ min: 60 * second, max: 24 * 3600 * second }),
    '5m',
    'the time that a stamped Pod may stay without a claim or session before it is removed',
  ),
  orphanedPodsMax: withDefault(
    wholeNumber({ min: 0, max: 1000 }),
    String(usualRecovery.orphanedPodsMax),
    'the maximum number of such Pods removed per minute; 0 removes none',
  ),
  recoveryPaused: withDefault(
    pausable,
    '',
    `recovery workers to pause, for example during an investigation: ${workerNames.join(', ')}`,
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
    'how long to serve late webhooks, unready, after a stop signal; part of --stop-deadline, and at least 5s less',
  ),
  stopDeadline,
  cacheAgeMax,
  kubeconfig,
  kubeContext: optional(kubeContext.parser, kubeContext.help),
});

/** Time to finish or undo the dispatches that are under way at a stop. */
const finishMs = 5 * second;

/** A delay up to the deadline would cut off dispatches under way. */
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
