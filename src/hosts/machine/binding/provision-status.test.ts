/** A machine is ready only when the password of its host is known. */
import { expect, it } from 'vitest';
import { hostId, HostHarness } from '../../../../lab/harness/host-harness.ts';
import { annotations } from '../../../api/names/annotations.ts';
import { labels } from '../../../api/names/labels.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { Secret } from '../../../platform/secret.ts';
import { secrets } from '../../../kube/client/builtin-resources.ts';
import { dropCredentials } from './credentials.ts';
import { publishHost } from './provision-status.ts';

const place = { namespace: 'default', name: 'runners-1-bootstrap' };

async function record(harness: HostHarness, password?: string): Promise<string> {
  const { client } = harness;
  const server = {
    ...harness.server,
    sudoPassword: password === undefined ? undefined : new Secret(password),
  };
  const machine = await harness.storedMachine('runners-1');
  try {
    return await publishHost({ client, secretsNamespace: 'default' }, { machine, server });
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    return error.reason;
  }
}

const ours = { [labels.managedBy.key]: 'capi-scaleway-applesilicon' };

async function withSecret(harness: HostHarness, password: string, host?: string): Promise<void> {
  const marks = host === undefined ? {} : { annotations: { [annotations.credentialsOf.key]: host } };
  await create(harness, password, { ...place, ...marks, labels: ours });
}

async function create(harness: HostHarness, password: string, metadata: object): Promise<void> {
  const stringData = { 'sudo-password': password };
  await harness.client.create(
    secrets,
    { namespace: 'default' },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData },
  );
}

async function passwordIn(harness: HostHarness): Promise<string | undefined> {
  const { data = {} } = await harness.client.get(secrets, place);
  const text = data['sudo-password'];
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
}

async function ready(harness: HostHarness): Promise<unknown> {
  const { status } = await harness.storedMachine('runners-1');
  return [status?.ready ?? false, status?.initialization?.provisioned ?? false, status?.serverID];
}

it.for([
  ['are deleted with the machine', hostId, {}],
  ['stay when they belong to another host', 'other', {}],
  ['stay when the machine was taken off its host before', hostId, { serverID: '' }],
] as const)('the credentials of a host %s', async ([says, of, status]) => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  await record(harness, 'p');
  await harness.client.patch(secrets, place, {
    merge: { metadata: { annotations: { [annotations.credentialsOf.key]: of } } },
  });
  harness.changeMachine('runners-1', { status }, '/status');
  const ports = { client: harness.client, secretsNamespace: 'default' };
  await dropCredentials(ports, await harness.storedMachine('runners-1'));
  await dropCredentials(ports, await harness.storedMachine('runners-1'));
  const isLeft = (await harness.client.find(secrets, place)) !== undefined;
  expect(isLeft).toBe(says.startsWith('stay'));
});

it.for([
  ['no marks', {}],
  ['the mark of another', { labels: { [labels.managedBy.key]: 'another-tool' } }],
  ['all but the mark', { annotations: { [annotations.credentialsOf.key]: hostId } }],
] as const)('leaves a Secret of that name with %s exactly as it is', async ([, marks]) => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  await create(harness, 'mine', { ...place, ...marks });
  const before = await harness.client.get(secrets, place);
  expect(await record(harness, 'p')).toBe('CredentialsPersistFailed');
  harness.changeMachine('runners-1', { status: { serverID: hostId } }, '/status');
  await dropCredentials(
    { client: harness.client, secretsNamespace: 'default' },
    await harness.storedMachine('runners-1'),
  );
  expect(await harness.client.get(secrets, place)).toEqual(before);
});

it('a machine is not provisioned while the Secret of its name has another owner', async () => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  await create(harness, 'mine', place);
  await record(harness, 'p');
  expect(await ready(harness)).toEqual([false, false, undefined]);
  await harness.client.patch(secrets, place, { merge: { metadata: { labels: ours } } });
  expect(await record(harness, 'p')).toBe('requested');
  expect([await ready(harness), await passwordIn(harness)]).toEqual([[true, true, hostId], 'p']);
});

it('a Secret that replaced ours after the read is not overwritten', async () => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  await withSecret(harness, 'old');
  const { client, transport } = harness;
  const { uid, resourceVersion } = (await client.get(secrets, place)).metadata;
  const untroubled = transport.way;
  transport.way = async () => {
    const { method, path } = transport.requests.at(-1) ?? {};
    if (method !== 'GET' || path?.endsWith(place.name) !== true) return;
    transport.way = untroubled;
    await client.delete(secrets, place, { uid, resourceVersion });
    await create(harness, 'mine', place);
  };
  await expect(record(harness, 'p')).resolves.toBe('Conflict');
  expect(await passwordIn(harness)).toBe('mine');
});

it('a machine with a known password is ready', async () => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  expect(await record(harness, 'p')).toBe('requested');
  expect([await ready(harness), await passwordIn(harness)]).toEqual([[true, true, hostId], 'p']);
});

it('a machine with an unknown password has its host, but is not ready', async () => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  expect(await record(harness)).toBe('MissingSudoPassword');
  expect(await ready(harness)).toEqual([false, false, hostId]);
  expect(await record(harness)).toBe('MissingSudoPassword');
});

it.for([
  ['an operator has stored', hostId],
  ['an older version has stored', undefined],
] as const)('a password counts that %s', async ([, host]) => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  await withSecret(harness, 'by hand', host);
  expect(await record(harness)).toBe('requested');
  expect([await ready(harness), await passwordIn(harness)]).toEqual([[true, true, hostId], 'by hand']);
});

it.for([
  ['of another host', 'old', 'another', undefined],
  ['that is only a seal', '<sealed>', undefined, '<sealed>'],
  ['that is empty', '', undefined, ''],
] as const)('a password does not count %s', async ([, password, host, left]) => {
  const harness = new HostHarness();
  await harness.machine('runners-1');
  await withSecret(harness, password, host);
  expect(await record(harness)).toBe('MissingSudoPassword');
  expect(await passwordIn(harness)).toBe(left);
});

it('a machine that is ready with its host stays ready, whatever the provider returns later', async () => {
  const harness = new HostHarness();
  await harness.machine('runners-1', { status: { serverID: hostId, ready: true } });
  expect(await record(harness)).toBe('MissingSudoPassword');
  expect(await ready(harness)).toEqual([true, false, hostId]);
});

it('a machine that was ready with another host is no longer ready', async () => {
  const harness = new HostHarness();
  await harness.machine('runners-1', { status: { serverID: 'another', ready: true } });
  expect(await record(harness)).toBe('MissingSudoPassword');
  expect(await ready(harness)).toEqual([false, false, hostId]);
});
