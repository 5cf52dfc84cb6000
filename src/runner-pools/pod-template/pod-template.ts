/** The Pod of a pool and its ServiceAccount: what both operating systems have in common. */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { isLinux, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import { linuxPodSpec } from './linux-template.ts';
import { macPodSpec } from './mac-template.ts';
import type { TemplateParts } from './pod-parts.ts';

/** Its name is that of the Pod: whose token it is tells which Pod asks. */
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

/** Without an owner: Kubernetes deletes what a pool owns as soon as the pool is deleted in the foreground, jobs and all. */
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
  // A kernel that counts who waits for what, so that a job can be told why it was slow.
  const kernel = { 'io.katacontainers.config.hypervisor.kernel_params': 'psi=1' };
  return { ...(revision !== '' && { [key]: revision }), ...(isLinux(pool) && kernel) };
}
