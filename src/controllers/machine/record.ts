/** Writes down what a machine has got: credentials first, for a machine that says it is provisioned must be reachable. */
import { labels } from '../../api/labels.ts';
import { providerIdOf } from '../../api/provider-id.ts';
import { machines, type MachineObject } from '../../fleet/objects.ts';
import { isFleetError } from '../../errors/fleet-error.ts';
import type { Server } from '../../provider/port.ts';
import type { ActionResult } from '../../runtime/controller/plan.ts';
import { secrets } from '../../runtime/kube/builtin-resources.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';
import type { Place } from '../../runtime/kube/kube-object.ts';

export interface RecordPorts {
  readonly client: KubeClient;
  readonly secretsNamespace: string;
}

export interface Given {
  readonly machine: MachineObject;
  readonly server: Server;
}

export async function recordHost(ports: RecordPorts, given: Given): Promise<ActionResult> {
  const { machine, server } = given;
  await storeCredentials(ports, given);
  const place: Place = {
    name: machine.metadata.name,
    ...(machine.metadata.namespace !== undefined && { namespace: machine.metadata.namespace }),
  };
  const named = await nameProvider(ports.client, place, given);
  const status = {
    serverID: server.id,
    ready: true,
    initialization: { provisioned: true },
    ...(server.ip !== undefined && { addresses: [{ type: 'ExternalIP', address: server.ip }] }),
  };
  const { resourceVersion } = named.metadata;
  const merge = { metadata: { resourceVersion }, status };
  await ports.client.patch(machines, { ...place, subresource: 'status' }, { merge });
  return 'asked';
}

/** Each write carries the revision it was decided on: who takes the host away meanwhile is not overwritten. */
async function nameProvider(
  client: KubeClient,
  place: Place,
  { machine, server }: Given,
): Promise<MachineObject> {
  const providerID = providerIdOf(server.zone, server.id);
  if (machine.spec?.providerID === providerID) return machine;
  const { resourceVersion } = machine.metadata;
  return client.patch(machines, place, { merge: { metadata: { resourceVersion }, spec: { providerID } } });
}

async function storeCredentials({ client, secretsNamespace }: RecordPorts, given: Given): Promise<void> {
  const { machine, server } = given;
  const name = `${machine.metadata.name}-bootstrap`;
  const stringData = {
    'ssh-username': server.sshUsername,
    ...(server.sudoPassword !== undefined && { 'sudo-password': server.sudoPassword.reveal() }),
  };
  const marks = {
    [labels.managedBy.key]: 'capi-scaleway-applesilicon',
    // A longer one cannot be the value of a label.
    ...(machine.metadata.name.length <= 63 && { [labels.machine.key]: machine.metadata.name }),
  };
  const place = { namespace: secretsNamespace, name };
  try {
    await client.create(
      secrets,
      { namespace: secretsNamespace },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: secretsNamespace, labels: marks },
        stringData,
      },
    );
  } catch (error) {
    if (!isFleetError(error) || error.kind !== 'conflict') throw error;
    await client.patch(secrets, place, { merge: { stringData } });
  }
}
