/** The Pod of a pool and its ServiceAccount: the parts common to both operating systems. */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { isLinux, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import { linuxPodSpec } from './linux-template.ts';
import { macPodSpec } from './mac-template.ts';
import type { TemplateParts } from './pod-parts.ts';

/** The account has the name of the Pod, so that a token identifies its Pod. */
export function accountOf(pool: RunnerPoolObject, name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...metadataOf(pool, name), labels: labelsOf(pool, 'runner-sa') },
    automountServiceAccountToken: false,
  };
}

export function podOf(parts: TemplateParts, name: string): object {
  const { pool } = parts;
  const spec = isLinux(pool) ? linuxPodSpec(parts) : macPodSpec(parts);
  const { runtimeClass = '' } = pool.spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadataOf(pool, name),
      labels: { ...labelsOf(pool, 'runner'), [labels.runner.key]: 'true' },
      annotations: annotationsOf(pool),
    },
    spec: {
      ...spec,
      serviceAccountName: name,
      restartPolicy: 'Never',
      ...(runtimeClass !== '' && { runtimeClassName: runtimeClass }),
    },
  };
}

/** No owner reference: a foreground deletion of the pool would delete owned Pods at once, with their jobs. */
function metadataOf({ metadata }: RunnerPoolObject, name: string) {
  return { name, namespace: metadata.namespace };
}

function labelsOf({ metadata }: RunnerPoolObject, component: string): Readonly<Record<string, string>> {
  return {
    [labels.appName.key]: 'tuist-runner',
    [labels.appComponent.key]: component,
    [labels.runnerPool.key]: metadata.name,
    [labels.runnerPoolUid.key]: metadata.uid,
  };
}

function annotationsOf(pool: RunnerPoolObject): Readonly<Record<string, string>> {
  const { key } = annotations.runtimeClassRevision;
  const revision = pool.metadata.annotations?.[key] ?? '';
  // Enables pressure stall information, which shows why a job was slow.
  const kernel = { 'io.katacontainers.config.hypervisor.kernel_params': 'psi=1' };
  return { ...(revision !== '' && { [key]: revision }), ...(isLinux(pool) && kernel) };
}
