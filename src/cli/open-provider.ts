/** Opens the provider that the settings of the manager select. The only place that chooses a provider. */
import type { ClientPorts } from '../manager/manager-ports.ts';
import type { managerSettings } from '../manager/manager-settings.ts';
import { openOwnedHosts } from '../manager/owned-hosts/open.ts';
import { ownedHostsOf } from '../manager/owned-hosts/settings.ts';
import type { Provider } from '../hosts/provider/port.ts';
import { readCredentials } from '../hosts/provider/scaleway/credentials.ts';
import { openScaleway } from '../hosts/provider/scaleway/open.ts';
import type { Logger } from '../platform/logger.ts';
import type { Values } from '../platform/settings/setting.ts';
import type { ClusterPorts, ProcessPorts } from './process-ports.ts';

export interface OpenPorts
  extends ClientPorts, Pick<ProcessPorts, 'random'>, Omit<ClusterPorts, 'transport'> {
  readonly userAgent: string;
  readonly mayAct: () => boolean;
  readonly logger: Logger;
}

export interface Opened {
  readonly provider: Provider;
  /** Whether the provider installs SSH keys of fleets on its hosts. */
  readonly keepsSshKeys: boolean;
  readonly close: () => Promise<void>;
}

type Settings = Values<typeof managerSettings>;

export async function openProvider(settings: Settings, ports: OpenPorts): Promise<Opened> {
  const owned = ownedHostsOf(settings);
  if (owned === undefined) return scaleway(settings, ports);
  const { runCommand: run, logger } = ports;
  if (run === undefined)
    throw new Error('this process cannot run commands, which owned hosts need for their wipe');
  const provider = openOwnedHosts(owned, {
    ...ports,
    run,
    onTrouble: ({ reason, message }) => logger.error(`${reason}: ${message}`),
    onLine: (host, line) => logger.info('received output of the wipe command', { host, line }),
  });
  return { provider, keepsSshKeys: false, close: () => provider.close() };
}

async function scaleway({ providerDeadline: deadlineMs }: Settings, ports: OpenPorts): Promise<Opened> {
  const { env, clock, userAgent } = ports;
  const credentials = await readCredentials({ env, readFile: (path) => readIfThere(ports, path) });
  const provider = openScaleway({ credentials, clock, userAgent, deadlineMs });
  return { provider, keepsSshKeys: true, close: () => Promise.resolve() };
}

async function readIfThere({ readFile }: OpenPorts, path: string): Promise<string | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
