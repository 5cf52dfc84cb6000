/** The environment of a container: plain values, and fields of its Pod. Nothing that runners have needs more. */
import type { EnvVar } from 'kubernetes-types/core/v1.js';
import type { Pod } from '../../kube/client/builtin-resources.ts';

export function environmentOf(pod: Pod, list: readonly EnvVar[]): Readonly<Record<string, string>> {
  const entries = list.flatMap(({ name, value, valueFrom }): readonly (readonly [string, string])[] => {
    const path = valueFrom?.fieldRef?.fieldPath;
    const text = path === undefined ? (value ?? '') : fieldOf(pod, path);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(entries);
}

function fieldOf({ metadata, spec }: Pod, path: string): string | undefined {
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
  };
  return Object.hasOwn(fields, path) ? fields[path] : undefined;
}
