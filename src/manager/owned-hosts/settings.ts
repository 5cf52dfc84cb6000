/** Settings of the provider and of owned hosts. */
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
    'source of hosts: scaleway rents them, static reads a list of owned Macs',
  ),
  staticHosts: optional(
    orNothing(kept),
    'ConfigMap with the list of owned Macs under hosts.yaml; a second ConfigMap with the suffix -notes must exist',
  ),
  staticHostsSecretName: optional(
    orNothing(text),
    'Secret beside that list with the sudo password of each host under its id; without it no password is known',
  ),
  staticWipeCommand: optional(
    orNothing(file),
    'program that wipes the Mac in MUSTER_HOST_ID and MUSTER_HOST_ADDRESS; it exits with 0 once the Mac is wiped and up again',
  ),
  staticWipeDeadline: withDefault(
    duration({ min: second, max: 24 * hour }),
    '45m',
    'deadline of that program; after it the program is killed and the wipe has failed',
  ),
});
type ProviderValues = Values<typeof providerSettings>;

/** Undefined for rented hosts. */
export function ownedHostsOf(values: ProviderValues): OwnedHostsSettings | undefined {
  const { provider, staticHosts: list, staticHostsSecretName: secret, staticWipeCommand: command } = values;
  if (provider === 'static') {
    if (list === undefined || command === undefined)
      throw new WrongSettings(['--provider static needs --static-hosts and --static-wipe-command']);
    const passwords = secret === undefined ? undefined : { namespace: list.namespace, name: secret };
    return { list, passwords, wipeCommand: command, wipeDeadlineMs: values.staticWipeDeadline };
  }
  // Without this error, a forgotten --provider static would rent hosts instead.
  if (list !== undefined || command !== undefined || secret !== undefined)
    throw new WrongSettings([
      '--static-hosts, --static-hosts-secret-name and --static-wipe-command need --provider static',
    ]);
  return undefined;
}
