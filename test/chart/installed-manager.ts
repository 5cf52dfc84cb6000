/**
 * The manager like the installed chart runs it: with the flags of its Deployment and as its ServiceAccount, against a
 * simulated Scaleway over HTTP, or with listed Macs and a wipe command that never ends. Only its timeouts are shorter.
 */
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { makeSshKey } from '../../src/bin/real-keys.ts';
import { FleetManager } from '../../src/manager/manager.ts';
import { fleetSettingsOf, managerSettings } from '../../src/manager/manager-settings.ts';
import { openOwnedHosts, type OwnedHostsSettings } from '../../src/manager/owned-hosts/open.ts';
import { ownedHostsOf } from '../../src/manager/owned-hosts/settings.ts';
import type { Provider } from '../../src/hosts/provider/port.ts';
import { readCredentials } from '../../src/hosts/provider/scaleway/credentials.ts';
import { openScaleway } from '../../src/hosts/provider/scaleway/open.ts';
import { HttpTransport } from '../../src/kube/client/http-transport.ts';
import { readKubeconfig } from '../../src/kube/client/kubeconfig.ts';
import { addSettings, flagsOf } from '../../src/platform/settings/command-options.ts';
import { readSettings } from '../../src/platform/settings/read-settings.ts';
import { startCloud } from '../../lab/clouds/scaleway/start-cloud.ts';
import { controlToken } from '../../lab/harness/control-token.ts';
import { anyRandom, wallClock as clock } from '../../lab/harness/wall-clock.ts';
import { RecordingTransport } from './recording-transport.ts';

export interface InstalledManager {
  readonly transport: RecordingTransport;
  /** The log lines. */
  readonly lines: readonly string[];
  /** The address of the simulated Scaleway, if used. */
  readonly cloudUrl: string;
  stop(): Promise<void>;
}

export interface InstalledOrder {
  readonly args: readonly string[];
  readonly kubeconfig: string;
}

const quick = {
  inventoryIntervalMs: 500,
  sweepIntervalMs: 1000,
  lease: { durationMs: 15_000, actMs: 8000, handoverMs: 0 },
};
const userAgent = 'muster-manager';
const ports = {
  readFile: (path: string) => readFile(path, 'utf8'),
  now: () => clock.now(),
  runProgram: () => Promise.reject(new Error('none is named')),
};

export async function startInstalled({ args, kubeconfig }: InstalledOrder): Promise<InstalledManager> {
  const begun = new AsyncDisposableStack();
  const lines: string[] = [];
  const crash = (error: unknown): void => void lines.push(`crashed: ${String(error)}`);
  const connection = await readKubeconfig({ file: kubeconfig }, ports);
  const http = new HttpTransport({ connection, userAgent, now: () => clock.now() });
  begun.defer(() => http.close());
  const transport = new RecordingTransport(http);
  const values = await valuesIn(args);
  const owned = ownedHostsOf(values);
  const { provider, cloudUrl = '' } =
    owned === undefined
      ? await openCloud(begun, crash)
      : { provider: openOwnedMacs(owned, { begun, transport, lines }) };
  const manager = new FleetManager(
    { ...fleetSettingsOf(values), ...quick },
    {
      transport,
      provider,
      clock,
      random: anyRandom,
      identity: 'installed',
      log: (text) => void lines.push(text),
      exit: crash,
      crash,
      ...(owned === undefined && { makeSshKey }),
    },
  );
  manager.start();
  begun.defer(() => manager.stop());
  return { transport, lines, cloudUrl, stop: () => begun.disposeAsync() };
}

interface Opened {
  readonly provider: Provider;
  readonly cloudUrl?: string;
}

async function openCloud(begun: AsyncDisposableStack, onFailure: (error: unknown) => void): Promise<Opened> {
  const place = { host: '127.0.0.1', port: 0, zones: ['fr-par-1'] };
  // A wipe takes a quarter of an hour in the simulation.
  const fleet = { hosts: 2, type: 'M2-L', seed: 1, timeScale: 600 };
  const cloud = await startCloud({ ...place, ...fleet, controlToken }, { clock, onFailure });
  begun.defer(() => cloud.close());
  const credentials = await readCredentials({
    env: cloud.environment,
    readFile: () => Promise.resolve(undefined),
  });
  return { provider: openScaleway({ credentials, clock, userAgent }), cloudUrl: cloud.url };
}

interface RecoveryParts {
  readonly begun: AsyncDisposableStack;
  readonly transport: RecordingTransport;
  readonly lines: string[];
}

function openOwnedMacs(settings: OwnedHostsSettings, { begun, transport, lines }: RecoveryParts): Provider {
  const provider = openOwnedHosts(settings, {
    transport,
    clock,
    random: anyRandom,
    mayAct: () => true,
    run: ({ command, stop }) =>
      new Promise((_, reject) => {
        lines.push(`runs ${command}`);
        stop.addEventListener('abort', () => reject(new Error('cut off')));
      }),
    onTrouble: ({ message }) => void lines.push(message),
    onLine: () => undefined,
  });
  begun.defer(() => provider.close());
  return provider;
}

/** Parsed like on the command line: an unknown flag is an error. */
async function valuesIn(args: readonly string[]) {
  const command = addSettings(new Command('manager').exitOverride(), managerSettings);
  command.parse(args, { from: 'user' });
  return readSettings(managerSettings, { flags: flagsOf(command, managerSettings), env: {} }, ports);
}
