/** Converts a machine object to the form that the invariants check. `muster audit` and the gauges share it. */
import { finalizers } from '../../api/names/finalizers.ts';
import type { AuditedMachine } from './invariants.ts';
import type { MachineObject } from './objects.ts';

export function auditedOf(object: MachineObject): AuditedMachine {
  const { metadata, spec, status } = object;
  return {
    object,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    zone: spec?.zone ?? '',
    serverId: status?.serverID,
    providerId: spec?.providerID ?? undefined,
    hasFinalizer: metadata.finalizers?.includes(finalizers.machine.key) === true,
    pausedSince: pausedSince(status),
    deletingSince: timeOf(metadata.deletionTimestamp),
  };
}

function pausedSince(status: MachineObject['status']): number | undefined {
  const paused = status?.conditions?.find(({ type }) => type === 'Paused');
  return paused?.status === 'True' ? timeOf(paused.lastTransitionTime) : undefined;
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
