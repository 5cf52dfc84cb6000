/** Records the host of a machine, credentials first: a provisioned machine must be reachable. */
import { providerIdOf } from '../../../api/names/provider-id.ts';
import { machines, placeOf, type MachineObject } from '../../state/objects.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { Server } from '../../provider/port.ts';
import type { ActionResult } from '../../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { Place } from '../../../kube/client/kube-object.ts';
import {
  credentialsName,
  passwordField,
  storeCredentials,
  type Given,
  type RecordPorts,
} from './credentials.ts';

export async function publishHost(ports: RecordPorts, given: Given): Promise<ActionResult> {
  const { machine, server } = given;
  const isReachable = await storeCredentials(ports, given);
  const place = placeOf(machine);
  const named = await nameProvider(ports.client, place, given);
  const status = {
    serverID: server.id,
    ...readiness(machine, server, isReachable),
    ...(server.ip !== undefined && { addresses: [{ type: 'ExternalIP', address: server.ip }] }),
  };
  const { resourceVersion } = named.metadata;
  const merge = { metadata: { resourceVersion }, status };
  await ports.client.patch(machines, { ...place, subresource: 'status' }, { merge });
  if (isReachable) return 'requested';
  throw new FleetError('rejected', {
    reason: 'MissingSudoPassword',
    message: `the provider does not return the password of ${server.id}; put it into the Secret ${ports.secretsNamespace}/${credentialsName(machine)} as ${passwordField}, or release the host`,
  });
}

/** A machine that was ready with this host stays ready, because its password was known then. */
function readiness({ status }: MachineObject, { id }: Server, isReachable: boolean) {
  if (isReachable) return { ready: true, initialization: { provisioned: true } };
  return status?.serverID === id ? {} : { ready: false };
}

/** Each write carries the revision it was decided on, so that a concurrent release is not overwritten. */
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
