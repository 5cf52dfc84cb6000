/** The status of a definition: NamesAccepted, Established, Terminating. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isDeleting, type KubeObject } from '../kube-object.ts';
import type { Definition } from '../registry/custom-resource.ts';
import { definitionIn } from '../registry/definitions.ts';
import { valueAt } from '../registry/field-path.ts';

export interface EvaluatedDefinition {
  readonly accepted: boolean;
  readonly status: JsonObject;
}

/** `others` are the earlier definitions; the first definition with a name keeps it. */
export function evaluateDefinition(
  object: KubeObject,
  others: readonly KubeObject[],
  now: string,
): EvaluatedDefinition {
  const definition = definitionIn(object);
  const taken = definition === undefined ? [] : takenNames(definition, others);
  const old = isJsonObject(object['status']) ? object['status'] : {};
  const accepted = taken.length === 0;
  const served = conditionOf(old, 'Established')?.['status'] === 'True';
  const condition = conditionWriter(old, now);
  const names = condition('NamesAccepted', accepted);
  const established = condition('Established', accepted || served);
  const terminating = isDeleting(object) ? [condition('Terminating', true)] : [];
  return {
    accepted,
    status: {
      conditions: [names, established, ...terminating],
      acceptedNames: accepted
        ? (valueAt(object, 'spec.names') ?? {})
        : (old['acceptedNames'] ?? { plural: '', kind: '' }),
      storedVersions: storedVersions(old, definition),
    },
  };
}

function takenNames({ metadata, spec }: Definition, others: readonly KubeObject[]): readonly string[] {
  const mine = namesIn(spec);
  return others
    .filter((other) => other.metadata.name !== metadata.name)
    .flatMap((other) => definitionIn(other)?.spec ?? [])
    .filter((other) => other.group === spec.group)
    .flatMap(namesIn)
    .filter((name) => mine.includes(name));
}

/** Capitals distinguish kinds from the other names. */
function namesIn({ names }: Definition['spec']): readonly string[] {
  const optional = [names.singular, names.listKind].filter((name) => name !== undefined);
  return [names.plural, names.kind, ...optional, ...names.shortNames];
}

function storedVersions(old: JsonObject, definition: Definition | undefined): Json {
  const before = Array.isArray(old['storedVersions']) ? old['storedVersions'] : [];
  const storage = (definition?.spec.versions ?? [])
    .filter((version) => version.storage)
    .map((version) => version.name);
  return [...new Set([...before, ...storage])];
}

function conditionOf(status: JsonObject, type: string): JsonObject | undefined {
  const list = status['conditions'];
  return Array.isArray(list) ? list.filter(isJsonObject).find((one) => one['type'] === type) : undefined;
}

const reasons = {
  NamesAccepted: { True: 'NoConflicts', False: 'NameConflict' },
  Established: { True: 'InitialNamesAccepted', False: 'NotAccepted' },
  Terminating: { True: 'InstanceDeletionInProgress', False: 'InstanceDeletionCompleted' },
} as const;

/** Keeps the transition time of an unchanged condition. */
function conditionWriter(old: JsonObject, now: string) {
  return (type: keyof typeof reasons, holds: boolean): JsonObject => {
    const status = holds ? 'True' : 'False';
    const before = conditionOf(old, type);
    const since = before?.['status'] === status ? before['lastTransitionTime'] : undefined;
    const reason = reasons[type][status];
    return { type, status, lastTransitionTime: since ?? now, reason, message: reason };
  };
}
