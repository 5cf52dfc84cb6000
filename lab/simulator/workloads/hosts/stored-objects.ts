/** Machines and MacHosts as stored, reduced to the fields that the checkers compare. */
import { annotations } from '../../../../src/api/names/annotations.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';

export interface Machine {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly serverId: string;
  /** As `spec.providerID` and the host annotation have it; empty without them. */
  readonly providerServerId: string;
  readonly annotatedServerId: string;
  /** The status shows that some host served the machine, also after the server id was cleared. */
  readonly wasReady: boolean;
  readonly isDeleting: boolean;
  readonly isPaused: boolean;
}

export interface Order {
  readonly policy: string;
  readonly orderedBy: string;
  readonly orderedAt: string;
  /** Empty where the order has none. */
  readonly machineUid: string;
  readonly serverName: string;
  readonly overrules: readonly { readonly uid: string; readonly by: readonly string[] }[];
}

export interface Host {
  readonly id: string;
  readonly claimUid: string | undefined;
  readonly release: Order | undefined;
  /** Its machine was deleted without a release, and the MacHost records that. */
  readonly isSkipped: boolean;
  /** The machine that last held its claim. */
  readonly lastOwnerUid: string | undefined;
  /** Empty where no owner is recorded. */
  readonly lastOwnerName: string;
  readonly firstSeenName: string;
  readonly isHeld: boolean;
  /** A person named the server, and the machine gave up the host to that person. */
  readonly isLeftToPerson: boolean;
  readonly state: string;
}

export function machineIn({ metadata, spec, status }: JsonObject): Machine {
  const { namespace, name, uid, deletionTimestamp, annotations: notes } = fieldsOf(metadata);
  return {
    namespace: textOf(namespace),
    name: textOf(name),
    uid: textOf(uid),
    serverId: textOf(fieldsOf(status)['serverID']),
    providerServerId: textOf(fieldsOf(spec)['providerID']).split('/').at(-1) ?? '',
    annotatedServerId: textOf(fieldsOf(notes)[annotations.host.key]),
    wasReady: fieldsOf(status)['ready'] === true,
    isDeleting: deletionTimestamp !== undefined,
    isPaused: fieldsOf(notes)[annotations.paused.key] !== undefined,
  };
}

export function hostIn({ metadata, spec, status }: JsonObject): Host {
  const { claim, release, lastOwner, hold, personName, firstSeenName } = fieldsOf(spec);
  const uid = textOf(fieldsOf(claim)['uid']);
  const { name, annotations: notes } = fieldsOf(metadata);
  return {
    id: textOf(name),
    claimUid: uid === '' ? undefined : uid,
    release: isJsonObject(release) ? orderIn(release) : undefined,
    lastOwnerUid: textOf(fieldsOf(lastOwner)['uid']) || undefined,
    lastOwnerName: textOf(fieldsOf(claim ?? lastOwner)['name']),
    firstSeenName: textOf(firstSeenName),
    isHeld: isJsonObject(hold),
    isLeftToPerson: textOf(personName) !== '',
    isSkipped: fieldsOf(notes)[annotations.releaseSkipped.key] !== undefined,
    state: textOf(fieldsOf(status)['state']),
  };
}

function orderIn({ policy, orderedBy, orderedAt, machineUid, serverName, overrules }: JsonObject): Order {
  return {
    policy: textOf(policy),
    orderedBy: textOf(orderedBy),
    orderedAt: textOf(orderedAt),
    machineUid: textOf(machineUid),
    serverName: textOf(serverName),
    overrules: listOf(overrules).map((one) => ({
      uid: textOf(fieldsOf(one)['uid']),
      by: listOf(fieldsOf(one)['by']).map(textOf),
    })),
  };
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
