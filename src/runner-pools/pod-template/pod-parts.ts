/** Pieces of the Pods of pools. */
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';

export interface TemplateSettings {
  /** Where Pods ask for a job. */
  readonly dispatchUrl: string;
  /** The same for Pods inside the cluster network, where it is another. */
  readonly dispatchInternalUrl?: string;
  /** Jobs on Linux have no docker without it. */
  readonly dindImage?: string;
  readonly registryMirrorUrl?: string;
  /** For virtual machines, which do not get them from a kubelet. */
  readonly clusterDnsIp?: string;
  readonly clusterDomain?: string;
}

export interface TemplateParts {
  readonly pool: RunnerPoolObject;
  readonly settings: TemplateSettings;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

/** As much as it asks for, and no more: a job has the same machine each time. */
export function resourcesOf({ spec }: RunnerPoolObject): object {
  const amounts = { cpu: `${spec.podCPUMilli}m`, memory: `${spec.podMemoryMB}Mi` };
  return { requests: amounts, limits: amounts };
}

/** What whoever asks for a job must know. */
export function dispatchVariables(pool: RunnerPoolObject, url: string): readonly Variable[] {
  return [
    variable('TUIST_RUNNER_DISPATCH_URL', url),
    variable('TUIST_RUNNER_POOL', pool.metadata.name),
    ofPod('TUIST_RUNNER_POD_NAME', 'metadata.name'),
    ofPod('TUIST_RUNNER_POD_UID', 'metadata.uid'),
  ];
}

/** What whoever runs it must know. */
export function runnerVariables({ spec }: RunnerPoolObject): readonly Variable[] {
  const { idleTimeoutSeconds: idle } = spec;
  return [
    variable('ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT', '1'),
    // 0 is told as well: it means never, and to say nothing means what the image has chosen.
    ...(idle === undefined ? [] : [variable('TUIST_RUNNER_IDLE_TIMEOUT_SECONDS', `${idle}`)]),
  ];
}

export function variable(name: string, value: string): Variable {
  return { name, value };
}

function ofPod(name: string, fieldPath: string): Variable {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
