/** A machine is ready only when somebody knows the password of its host. */
import { expect, it } from 'vitest';
import { hostId, HostStand } from '../../../test/host-stand.ts';
import { annotations } from '../../api/annotations.ts';
import { labels } from '../../api/labels.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { Secret } from '../../runtime/secret.ts';
import { secrets } from '../../runtime/kube/builtin-resources.ts';
import { dropCredentials } from './credentials.ts';
import { recordHost } from './record.ts';

const place = { namespace: 'default', name: 'runners-1-bootstrap' };

async function record(stand: HostStand, password?: string): Promise<string> {
  const { client } = stand;
  const server = { ...stand.server, sudoPassword: password === undefined ? undefined : new Secret(password) };
  const machine = await stand.storedMachine('runners-1');
  try {
    return await recordHost({ client, secretsNamespace: 'default' }, { machine, server });
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    return error.reason;
  }
}

const ours = { [labels.managedBy.key]: 'capi-scaleway-applesilicon' };

async function withSecret(stand: HostStand, password: string, host?: string): Promise<void> {
  const marks = host === undefined ? {} : { annotations: { [annotations.credentialsOf.key]: host } };
  await create(stand, password, { ...place, ...marks, labels: ours });
}

async function create(stand: HostStand, password: string, metadata: object): Promise<void> {
  const stringData = { 'sudo-password': password };
  await stand.client.create(
    secrets,
    { namespace: 'default' },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData },
  );
}

async function passwordIn(stand: HostStand): Promise<string | undefined> {
  const { data = {} } = await stand.client.get(secrets, place);
  const text = data['sudo-password'];
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
}

async function ready(stand: HostStand): Promise<unknown> {
  const { status } = await stand.storedMachine('runners-1');
  return [status?.ready ?? false, status?.initialization?.provisioned ?? false, status?.serverID];
}

it.for([
  ['go with the machine', hostId, {}],
  ['stay when they are of another host', 'other', {}],
  ['stay when the machine was taken off its host before', hostId, { serverID: '' }],
] as const)('the credentials of a host %s', async ([says, of, status]) => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  await record(stand, 'p');
  await stand.client.patch(secrets, place, {
    merge: { metadata: { annotations: { [annotations.credentialsOf.key]: of } } },
  });
  stand.changeMachine('runners-1', { status }, '/status');
  const ports = { client: stand.client, secretsNamespace: 'default' };
  await dropCredentials(ports, await stand.storedMachine('runners-1'));
  await dropCredentials(ports, await stand.storedMachine('runners-1'));
  const isLeft = (await stand.client.find(secrets, place)) !== undefined;
  expect(isLeft).toBe(says.startsWith('stay'));
});

it.for([
  ['no marks', {}],
  ['the mark of another', { labels: { [labels.managedBy.key]: 'somebody' } }],
  ['all but the mark', { annotations: { [annotations.credentialsOf.key]: hostId } }],
] as const)('leaves a Secret of that name with %s exactly as it is', async ([, marks]) => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  await create(stand, 'mine', { ...place, ...marks });
  const before = await stand.client.get(secrets, place);
  expect(await record(stand, 'p')).toBe('CredentialsPersistFailed');
  stand.changeMachine('runners-1', { status: { serverID: hostId } }, '/status');
  await dropCredentials(
    { client: stand.client, secretsNamespace: 'default' },
    await stand.storedMachine('runners-1'),
  );
  expect(await stand.client.get(secrets, place)).toEqual(before);
});

it('a machine has no host to show while the Secret of its name is of somebody else', async () => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  await create(stand, 'mine', place);
  await record(stand, 'p');
  expect(await ready(stand)).toEqual([false, false, undefined]);
  await stand.client.patch(secrets, place, { merge: { metadata: { labels: ours } } });
  expect(await record(stand, 'p')).toBe('asked');
  expect([await ready(stand), await passwordIn(stand)]).toEqual([[true, true, hostId], 'p']);
});

it('a Secret that another has put in the place of ours after it was read is not written over', async () => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  await withSecret(stand, 'old');
  const { client, transport } = stand;
  const { uid, resourceVersion } = (await client.get(secrets, place)).metadata;
  const untroubled = transport.way;
  transport.way = async () => {
    const { method, path } = transport.requests.at(-1) ?? {};
    if (method !== 'GET' || path?.endsWith(place.name) !== true) return;
    transport.way = untroubled;
    await client.delete(secrets, place, { uid, resourceVersion });
    await create(stand, 'mine', place);
  };
  await expect(record(stand, 'p')).resolves.toBe('Conflict');
  expect(await passwordIn(stand)).toBe('mine');
});

it('a machine whose password is told is ready', async () => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  expect(await record(stand, 'p')).toBe('asked');
  expect([await ready(stand), await passwordIn(stand)]).toEqual([[true, true, hostId], 'p']);
});

it('a machine whose password nobody knows has its host, and is not ready', async () => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  expect(await record(stand)).toBe('MissingSudoPassword');
  expect(await ready(stand)).toEqual([false, false, hostId]);
  expect(await record(stand)).toBe('MissingSudoPassword');
});

it.for([
  ['a person has put there', hostId],
  ['an older version has put there', undefined],
] as const)('a password counts that %s', async ([, host]) => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  await withSecret(stand, 'by hand', host);
  expect(await record(stand)).toBe('asked');
  expect([await ready(stand), await passwordIn(stand)]).toEqual([[true, true, hostId], 'by hand']);
});

it.for([
  ['of another host', 'old', 'another', undefined],
  ['that is only a seal', '<sealed>', undefined, '<sealed>'],
  ['that is empty', '', undefined, ''],
] as const)('a password does not count %s', async ([, password, host, left]) => {
  const stand = new HostStand();
  await stand.machine('runners-1');
  await withSecret(stand, password, host);
  expect(await record(stand)).toBe('MissingSudoPassword');
  expect(await passwordIn(stand)).toBe(left);
});

it('a machine that is ready with its host stays so, whatever the provider tells later', async () => {
  const stand = new HostStand();
  await stand.machine('runners-1', { status: { serverID: hostId, ready: true } });
  expect(await record(stand)).toBe('MissingSudoPassword');
  expect(await ready(stand)).toEqual([true, false, hostId]);
});

it('a machine that was ready with another host is not ready any more', async () => {
  const stand = new HostStand();
  await stand.machine('runners-1', { status: { serverID: 'another', ready: true } });
  expect(await record(stand)).toBe('MissingSudoPassword');
  expect(await ready(stand)).toEqual([false, false, hostId]);
});
