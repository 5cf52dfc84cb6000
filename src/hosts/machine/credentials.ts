/** The Secret with which a host is reached: user, and password as far as anybody knows it. */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import type { MachineObject } from '../state/objects.ts';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Server } from '../provider/port.ts';
import { secrets, type SecretObject } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Place } from '../../kube/client/kube-object.ts';

export interface RecordPorts {
  readonly client: KubeClient;
  readonly secretsNamespace: string;
}

export interface Given {
  readonly machine: MachineObject;
  readonly server: Server;
}

export const passwordField = 'sudo-password';
const managedBy = 'capi-scaleway-applesilicon';
/** What the provider, and older versions after it, wrote in place of a password. */
const sealed = '<sealed>';

export function credentialsName({ metadata }: MachineObject): string {
  return `${metadata.name}-bootstrap`;
}

/** Whether a password is stored afterwards: the provider told it, or it was there already. */
export async function storeCredentials(
  { client, secretsNamespace }: RecordPorts,
  given: Given,
): Promise<boolean> {
  const { machine, server } = given;
  const name = credentialsName(machine);
  const stringData = {
    'ssh-username': server.sshUsername,
    ...(server.sudoPassword !== undefined && { [passwordField]: server.sudoPassword.reveal() }),
  };
  const marks = {
    [labels.managedBy.key]: managedBy,
    // A longer one cannot be the value of a label.
    ...(machine.metadata.name.length <= 63 && { [labels.machine.key]: machine.metadata.name }),
  };
  const notes = { [annotations.credentialsOf.key]: server.id };
  const place = { namespace: secretsNamespace, name };
  const metadata = { ...place, labels: marks, annotations: notes };
  try {
    await client.create(
      secrets,
      { namespace: secretsNamespace },
      { apiVersion: 'v1', kind: 'Secret', metadata, stringData },
    );
    return server.sudoPassword !== undefined;
  } catch (error) {
    if (!isFleetError(error) || error.kind !== 'conflict') throw error;
  }
  const stored = await client.get(secrets, place);
  if (!isOurs(stored)) throw new FleetError('rejected', refusalOf(place));
  const data = passwordToDrop(stored, server);
  // With the revision that was read: one that was put in its place meanwhile may be somebody else's.
  const { resourceVersion } = stored.metadata;
  const merge = {
    metadata: { resourceVersion, labels: marks, annotations: notes },
    ...(data !== undefined && { data }),
    stringData,
  };
  return hasPassword(await client.patch(secrets, place, { merge }));
}

/**
 * With the machine goes what lets one in. Only what was written for the host that it had: a Secret of that name may be of
 * a machine in another namespace, and whoever detached the host first may still need it.
 */
export async function dropCredentials(
  { client, secretsNamespace }: RecordPorts,
  machine: MachineObject,
): Promise<void> {
  const place = { namespace: secretsNamespace, name: credentialsName(machine) };
  const stored = await client.find(secrets, place);
  if (stored === undefined || !isOf(stored, machine.status?.serverID ?? '')) return;
  const { uid, resourceVersion } = stored.metadata;
  try {
    await client.delete(secrets, place, { uid, resourceVersion });
  } catch (error) {
    if (!isFleetError(error, 'gone')) throw error;
  }
}

/** What is marked so is written over, and deleted with its machine. Older versions marked theirs in the same way. */
function isOurs({ metadata }: SecretObject): boolean {
  return metadata.labels?.[labels.managedBy.key] === managedBy;
}

function refusalOf({ namespace, name }: Place) {
  return {
    reason: 'CredentialsPersistFailed',
    message: `the Secret ${namespace}/${name} is somebody else's, and is left as it is; delete it, or keep it under another name, or hand it over with the label ${labels.managedBy.key}=${managedBy}: then it is written over, and deleted with the machine`,
  } as const;
}

/** Older versions did not write down which host it is of. */
function isOf(secret: SecretObject, serverId: string): boolean {
  if (serverId === '' || !isOurs(secret)) return false;
  return (secret.metadata.annotations?.[annotations.credentialsOf.key] ?? serverId) === serverId;
}

/** The password of another host opens nothing, and would look as if it did. */
function passwordToDrop({ metadata }: SecretObject, { id, sudoPassword }: Server): object | undefined {
  const before = metadata.annotations?.[annotations.credentialsOf.key];
  const isOfOther = before !== undefined && before !== id && sudoPassword === undefined;
  return isOfOther ? { [passwordField]: null } : undefined;
}

function hasPassword({ data = {} }: SecretObject): boolean {
  const text = Buffer.from(data[passwordField] ?? '', 'base64').toString('utf8');
  return text !== '' && text !== sealed;
}
