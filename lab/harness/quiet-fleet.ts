/** Settings and a provider without servers, for tests of a manager in which hosts do not matter. */
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

const none = () => Promise.reject(new Error('unexpected call'));

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
