/** What a manager is tried with where hosts do not matter: usual settings, and a provider that has none. */
import type { FleetSettings } from '../../src/manager/host-settings.ts';
import type { Provider } from '../../src/hosts/provider/port.ts';

export const quietSettings: FleetSettings = {
  zones: [],
  defaultPoolPrefix: 'pool-',
  claimPrefix: '',
  inventoryIntervalMs: 10_000,
  sweepIntervalMs: 60_000,
  reclaimsMax: 1,
  workers: 1,
  secretsNamespace: 'default',
  leaseNamespace: 'default',
  leaseName: 'muster-manager',
  lease: { durationMs: 15_000, actMs: 8000, handoverMs: 0 },
};

const none = () => Promise.reject(new Error('nobody asked for that'));

export const quietProvider: Provider = {
  listServers: () => Promise.resolve([]),
  getServer: none,
  rename: none,
  reinstall: none,
  reboot: none,
  delete: none,
  scheduleDeletion: none,
  listOs: none,
  sshKeys: { list: none, register: none, delete: none },
};
