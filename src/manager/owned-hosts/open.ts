/** Builds the provider of owned Macs: list and notes in the cluster, and the wipe command. */
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import { StaticProvider } from '../../hosts/provider/static/static-provider.ts';
import { wipeCommand, type RunCommand } from '../../hosts/provider/static/wipe-command.ts';
import type { Random } from '../../platform/random.ts';
import { clientWith, type ClientPorts } from '../manager-ports.ts';
import { ConfigMapNotes } from './config-map-notes.ts';
import { notesOf, type Kept } from './config-objects.ts';
import { listedHosts } from './listed-hosts.ts';

export interface OwnedHostsSettings {
  readonly list: Kept;
  readonly passwords: Kept | undefined;
  readonly wipeCommand: string;
  readonly wipeDeadlineMs: number;
}

export interface OwnedHostsPorts extends ClientPorts {
  readonly random: Random;
  readonly run: RunCommand;
  /** Checked just before a wipe begins. */
  readonly mayAct: () => boolean;
  readonly onTrouble: (failure: FleetError) => void;
  /** Called with each line of output of the command. */
  readonly onLine: (hostId: string, line: string) => void;
}

export function openOwnedHosts(settings: OwnedHostsSettings, ports: OwnedHostsPorts): StaticProvider {
  const { clock, random, run, mayAct, onTrouble, onLine } = ports;
  const { list, passwords, wipeCommand: command, wipeDeadlineMs: deadlineMs } = settings;
  const client = clientWith(ports, { deadlineMs: 10_000, perSecond: 50 });
  return new StaticProvider({
    hosts: () => listedHosts({ client, list, passwords }),
    notes: new ConfigMapNotes(client, notesOf(list)),
    hook: wipeCommand({ command, deadlineMs, run, onLine }),
    mayAct,
    clock,
    random,
    onTrouble,
  });
}
