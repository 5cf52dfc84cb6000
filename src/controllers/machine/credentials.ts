/** The Secret with which a host is reached: user, and password as far as anybody knows it. */
import { annotations } from '../../api/annotations.ts';
import { labels } from '../../api/labels.ts';
import type { MachineObject } from '../../fleet/objects.ts';
import { isFleetError } from '../../errors/fleet-error.ts';
import type { Server } from '../../provider/port.ts';
import { secrets, type SecretObject } from '../../runtime/kube/builtin-resources.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';

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
  const data = passwordToDrop(await client.get(secrets, place), server);
  const merge = {
    metadata: { labels: marks, annotations: notes },
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

/** Older versions did not write down which host it is of. */
function isOf({ metadata }: SecretObject, serverId: string): boolean {
  if (serverId === '' || metadata.labels?.[labels.managedBy.key] !== managedBy) return false;
  return (metadata.annotations?.[annotations.credentialsOf.key] ?? serverId) === serverId;
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
