/** Who provides the hosts, and what has to be said about those that are owned. */
import { duration, file, oneOf, orNothing, text } from '../../platform/settings/parsers.ts';
import { WrongSettings } from '../../platform/settings/read-settings.ts';
import {
  optional,
  settingTable,
  withDefault,
  WrongValue,
  type Parser,
  type Values,
} from '../../platform/settings/setting.ts';
import type { Kept } from './config-objects.ts';
import type { OwnedHostsSettings } from './open.ts';

const second = 1000;
const hour = 3600 * second;

const keptForm = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)\/([a-z0-9]([-.a-z0-9]{0,240}[a-z0-9])?)$/;

const kept: Parser<Kept> = {
  placeholder: 'namespace/name',
  expects: 'a namespace and a name with a slash between, such as muster-system/office-macs',
  parse: (given) => {
    const [, namespace, , name] = keptForm.exec(given) ?? [];
    if (namespace === undefined || name === undefined) throw new WrongValue('the value names no object');
    return { namespace, name };
  },
};

export const providerSettings = settingTable({
  provider: withDefault(
    oneOf(['scaleway', 'static']),
    'scaleway',
    'where hosts come from: scaleway rents them, static has a list of those you own',
  ),
  staticHosts: optional(
    orNothing(kept),
    'with --provider static: the ConfigMap with the list of hosts, under hosts.yaml; beside it must be another one, called the same with -notes at its end',
  ),
  staticHostsSecretName: optional(
    orNothing(text),
    'a Secret in the namespace of that list with the sudo password of each host, under its id; without it none is known',
  ),
  staticWipeCommand: optional(
    orNothing(file),
    'with --provider static: the program that wipes the host named by MUSTER_HOST_ID and MUSTER_HOST_ADDRESS, and ends with 0 once it is wiped and up again; it gets no arguments',
  ),
  staticWipeDeadline: withDefault(
    duration({ min: second, max: 24 * hour }),
    '45m',
    'how long that program may take; then it is ended, and the wipe has failed',
  ),
});
type ProviderValues = Values<typeof providerSettings>;

/** Undefined where hosts are rented. */
export function ownedHostsOf(values: ProviderValues): OwnedHostsSettings | undefined {
  const { provider, staticHosts: list, staticHostsSecretName: secret, staticWipeCommand: command } = values;
  if (provider === 'static') {
    if (list === undefined || command === undefined)
      throw new WrongSettings(['--provider static needs --static-hosts and --static-wipe-command']);
    const passwords = secret === undefined ? undefined : { namespace: list.namespace, name: secret };
    return { list, passwords, wipeCommand: command, wipeDeadlineMs: values.staticWipeDeadline };
  }
  // Somebody who names a list and forgets this would have hosts rented instead.
  if (list !== undefined || command !== undefined || secret !== undefined)
    throw new WrongSettings([
      '--static-hosts, --static-hosts-secret-name and --static-wipe-command need --provider static',
    ]);
  return undefined;
}
