/** All controllers of the server. Each acts on stored objects with a configurable delay, and can be left out. */
import type { Parts } from '../verbs/call.ts';
import { runAccounts } from './accounts.ts';
import { runApiService, type ListenAddress } from './api-service.ts';
import { runClusterRoles } from './cluster-roles.ts';
import { runDefinitions } from './definitions.ts';
import { runGarbage } from './garbage.ts';
import { runNamespaces } from './namespaces.ts';
import { runRootCertificates } from './root-certificates.ts';
import { runScheduling } from './scheduling.ts';
import { runTokenSecrets } from './token-secrets.ts';

type ControllerName =
  | 'definitions'
  | 'namespaces'
  | 'garbage'
  | 'clusterRoles'
  | 'accounts'
  | 'rootCertificates'
  | 'scheduling'
  | 'tokenSecrets'
  | 'apiService';

export type ControllerSettings = Readonly<
  Partial<Record<ControllerName, { readonly lagMs: number } | 'off'>>
>;

/** Only a listening server has an address to publish. */
export function publishAddress(parts: Parts, settings: ControllerSettings, address: ListenAddress): void {
  const setting = settings.apiService ?? { lagMs: 0 };
  if (setting !== 'off') runApiService(parts, setting.lagMs, address);
}

export function runControllers(
  parts: Parts,
  settings: ControllerSettings,
  authorityCertificate: string | undefined,
): void {
  const start = (name: ControllerName, run: (lagMs: number) => void): void => {
    const setting = settings[name] ?? { lagMs: 0 };
    if (setting !== 'off') run(setting.lagMs);
  };
  start('definitions', (lagMs) => runDefinitions(parts, lagMs));
  start('namespaces', (lagMs) => runNamespaces(parts, lagMs));
  start('garbage', (lagMs) => runGarbage(parts, lagMs));
  start('clusterRoles', (lagMs) => runClusterRoles(parts, lagMs));
  start('accounts', (lagMs) => runAccounts(parts, lagMs));
  start('scheduling', (lagMs) => runScheduling(parts, lagMs));
  start('tokenSecrets', (lagMs) => runTokenSecrets(parts, lagMs, authorityCertificate));
  if (authorityCertificate !== undefined)
    start('rootCertificates', (lagMs) => runRootCertificates(parts, lagMs, authorityCertificate));
}
