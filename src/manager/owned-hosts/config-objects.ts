/** Reads the ConfigMaps and the Secret of owned Macs, and translates failures into those of a provider. */
import { isFleetError, type FailureKind, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { ProviderReason } from '../../api/conditions/reasons.ts';
import { listFailure } from '../../hosts/provider/static/host-list.ts';
import { providerFailure } from '../../hosts/provider/provider-failure.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import {
  configMaps,
  secrets,
  type ConfigMap,
  type SecretObject,
} from '../../kube/client/builtin-resources.ts';
import type { KubeObject, Resource } from '../../kube/client/kube-object.ts';

/** An object in a namespace, by name. */
export interface Kept {
  readonly namespace: string;
  readonly name: string;
}

/** The notes are beside the list, in an object that only the manager and operators write. */
export function notesOf({ namespace, name }: Kept): Kept {
  return { namespace, name: `${name}-notes` };
}

export function placeText({ namespace, name }: Kept): string {
  return `${namespace}/${name}`;
}

const reasonsByKind: Readonly<Record<FailureKind, ProviderReason>> = {
  gone: 'HostListUnusable',
  conflict: 'Conflict',
  notYet: 'RateLimited',
  unavailable: 'ProviderUnavailable',
  rejected: 'PermissionDenied',
};

/** Never `gone`: callers take that for the host, whose MacHost would then be deleted. */
export async function inWordsOfProviders<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw isFleetError(error) ? translated(error) : error;
  }
}

function translated(error: FleetError): FleetError {
  const { kind, message, retryAt } = error;
  const said = { reason: reasonsByKind[kind], message };
  const details = { cause: error, ...(retryAt !== undefined && { retryAt }) };
  return providerFailure(kind === 'gone' ? 'unavailable' : kind, said, details);
}

/** A missing object is a failure, not an empty list. */
async function read<T extends KubeObject>(client: KubeClient, resource: Resource<T>, kept: Kept): Promise<T> {
  const found = await inWordsOfProviders(() => client.find(resource, kept));
  if (found === undefined) throw listFailure(`the ${resource.kind} ${placeText(kept)} does not exist`);
  return found;
}

export function readConfigMap(client: KubeClient, kept: Kept): Promise<ConfigMap> {
  return read(client, configMaps, kept);
}

export function readSecret(client: KubeClient, kept: Kept): Promise<SecretObject> {
  return read(client, secrets, kept);
}
