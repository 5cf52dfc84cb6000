/** The Secret with the SSH user of a host, and its password if known. */
import { annotations } from '../../../api/names/annotations.ts';
import { labels } from '../../../api/names/labels.ts';
import type { MachineObject } from '../../state/objects.ts';
import { FleetError, isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { Server } from '../../provider/port.ts';
import { secrets, type SecretObject } from '../../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { Place } from '../../../kube/client/kube-object.ts';

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
/** The placeholder that the provider, and older versions of Muster, wrote instead of a password. */
const sealed = '<sealed>';

export function credentialsName({ metadata }: MachineObject): string {
  return `${metadata.name}-bootstrap`;
}

/** Returns whether a password is stored: a new one from the provider, or an earlier one. */
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
    // Label values end at 63 characters.
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
  if (!isOurs(stored)) throw new FleetError('rejected', ownerConflict(place));
  const data = passwordToDrop(stored, server);
  // With the revision that was read: a Secret that replaced it meanwhile may belong to another owner.
  const { resourceVersion } = stored.metadata;
  const merge = {
    metadata: { resourceVersion, labels: marks, annotations: notes },
    ...(data !== undefined && { data }),
    stringData,
  };
  return hasPassword(await client.patch(secrets, place, { merge }));
}

/**
 * Deletes the credentials with the machine, but only those of its own host. A Secret of that name may belong to a
 * machine in another namespace, and an operator who detached the host may still need it.
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

/** Secrets with this label are overwritten, and deleted with their machine. Older versions used the same label. */
function isOurs({ metadata }: SecretObject): boolean {
  return metadata.labels?.[labels.managedBy.key] === managedBy;
}

function ownerConflict({ namespace, name }: Place) {
  return {
    reason: 'CredentialsPersistFailed',
    message: `the Secret ${namespace}/${name} has another owner and is left as it is; delete or rename the Secret, or hand it over with the label ${labels.managedBy.key}=${managedBy}: Muster then overwrites it, and deletes it with the machine`,
  } as const;
}

/** Older versions did not record the host. */
function isOf(secret: SecretObject, serverId: string): boolean {
  if (serverId === '' || !isOurs(secret)) return false;
  return (secret.metadata.annotations?.[annotations.credentialsOf.key] ?? serverId) === serverId;
}

/** A password of another host does not fit, and would be misleading. */
function passwordToDrop({ metadata }: SecretObject, { id, sudoPassword }: Server): object | undefined {
  const before = metadata.annotations?.[annotations.credentialsOf.key];
  const isOfOther = before !== undefined && before !== id && sudoPassword === undefined;
  return isOfOther ? { [passwordField]: null } : undefined;
}

function hasPassword({ data = {} }: SecretObject): boolean {
  const text = Buffer.from(data[passwordField] ?? '', 'base64').toString('utf8');
  return text !== '' && text !== sealed;
}
