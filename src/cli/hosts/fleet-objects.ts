/** MacHosts and machines of the API server, parsed by their schemas. */
import type { z } from 'zod';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import type { Kind } from '../../api/kinds/kind.ts';
import { macHost } from '../../api/kinds/mac-host.ts';
import {
  scalewayAppleSiliconMachine,
  type ScalewayAppleSiliconMachine,
} from '../../api/kinds/scaleway-apple-silicon-machine.ts';
import type { HostRecord } from '../../hosts/state/host-record.ts';
import type { KubeObject, Metadata, OwnerReference, Resource } from '../../kube/client/kube-object.ts';

export const hostResource = resourceOf(macHost);
export const machineResource = resourceOf(scalewayAppleSiliconMachine);

function resourceOf({ group, version, plural, kind, scope }: Kind): Resource {
  return { group, version, plural, kind, namespaced: scope === 'Namespaced' };
}

export interface FleetHost extends HostRecord {
  readonly metadata: Metadata;
}

export interface FleetMachine {
  readonly metadata: Metadata & { readonly namespace: string };
  readonly spec: ScalewayAppleSiliconMachine['spec'];
  readonly status: NonNullable<ScalewayAppleSiliconMachine['status']>;
}

export function hostOf(object: KubeObject): FleetHost {
  const { spec, status = {} } = parsed(macHost.schema, object);
  return { id: object.metadata.name, metadata: object.metadata, spec, status };
}

export function machineOf(object: KubeObject): FleetMachine {
  const { spec, status = {} } = parsed(scalewayAppleSiliconMachine.schema, object);
  const { namespace = '', ...metadata } = object.metadata;
  return { metadata: { ...metadata, namespace }, spec, status };
}

function parsed<S extends z.ZodType>(schema: S, object: KubeObject): z.output<S> {
  const result = schema.safeParse(object);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(
    `${object.kind ?? 'the object'} ${object.metadata.name} does not match its CRD, at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}; use a muster of the same version as the CRDs in the cluster`,
  );
}

export function machineName({ metadata }: Pick<FleetMachine, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

export function isDeleting({ metadata }: Pick<FleetHost | FleetMachine, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isPaused({ metadata }: Pick<FleetMachine, 'metadata'>): boolean {
  return metadata.annotations?.[annotations.paused.key] !== undefined;
}

export function hasFinalizer({ metadata }: Pick<FleetMachine, 'metadata'>): boolean {
  return metadata.finalizers?.includes(finalizers.machine.key) === true;
}

/** The Machine of Cluster API that owns this machine. */
export function ownerOf({ metadata }: Pick<FleetMachine, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'Machine' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );
}

export function conditionOf({ status }: Pick<FleetMachine, 'status'>, type: string) {
  return status.conditions?.find((condition) => condition.type === type);
}
