import { expect, it } from 'vitest';
import { readSettings } from '../runtime/process/settings/read-settings.ts';
import { fleetSettingsOf, managerSettings, withOlderNames } from './manager-settings.ts';

async function settings(flags: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const ports = { readFile: () => Promise.reject(new Error('no file is named')) };
  const once = Object.entries(flags).map(([name, value]) => [name, [value]] as const);
  const given = { flags: Object.fromEntries(once), env: withOlderNames(env) };
  return fleetSettingsOf(await readSettings(managerSettings, given, ports));
}

it('no Deployment is spread unless one is named, and its namespace is that of the Secrets unless given', async () => {
  expect((await settings({})).fleetSpread).toBeUndefined();
  const named = { fleetSpreadDeployment: 'processor', secretsNamespace: 'keys' };
  expect((await settings(named)).fleetSpread).toEqual({ deployment: 'processor', namespace: 'keys' });
  expect((await settings({ ...named, fleetSpreadNamespace: 'apps' })).fleetSpread).toEqual({
    deployment: 'processor',
    namespace: 'apps',
  });
});

it('variables of older versions are read', async () => {
  const env = { CAPI_FLEET_SPREAD_DEPLOYMENT: 'processor', CAPI_FLEET_SPREAD_NAMESPACE: 'apps' };
  expect((await settings({}, env)).fleetSpread).toEqual({ deployment: 'processor', namespace: 'apps' });
});

it('repairs of duplicates can be turned off', async () => {
  expect((await settings({})).duplicateRepairsMax).toBe(5);
  expect((await settings({ duplicateRepairsMax: '0' })).duplicateRepairsMax).toBe(0);
});
