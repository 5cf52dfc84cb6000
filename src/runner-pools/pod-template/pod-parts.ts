/** Common parts of the Pod templates. */
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';

export interface TemplateSettings {
  /** The URL that Pods poll. */
  readonly dispatchUrl: string;
  /** The URL for Pods inside the cluster network, if different. */
  readonly dispatchInternalUrl?: string;
  /** Without this image, Linux jobs have no docker. */
  readonly dindImage?: string;
  readonly registryMirrorUrl?: string;
  /** For virtual machines, which get no DNS settings from a kubelet. */
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

/** Limits equal requests, so that a job has the same machine each time. */
export function resourcesOf({ spec }: RunnerPoolObject): object {
  const amounts = { cpu: `${spec.podCPUMilli}m`, memory: `${spec.podMemoryMB}Mi` };
  return { requests: amounts, limits: amounts };
}

/** Variables of the container that polls. */
export function dispatchVariables(pool: RunnerPoolObject, url: string): readonly Variable[] {
  return [
    variable('TUIST_RUNNER_DISPATCH_URL', url),
    variable('TUIST_RUNNER_POOL', pool.metadata.name),
    ofPod('TUIST_RUNNER_POD_NAME', 'metadata.name'),
    ofPod('TUIST_RUNNER_POD_UID', 'metadata.uid'),
  ];
}

/** Variables of the container that runs the job. */
export function runnerVariables({ spec }: RunnerPoolObject): readonly Variable[] {
  const { idleTimeoutSeconds: idle } = spec;
  return [
    variable('ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT', '1'),
    // 0 is passed too: it means never, while a missing variable means the default of the image.
    ...(idle === undefined ? [] : [variable('TUIST_RUNNER_IDLE_TIMEOUT_SECONDS', `${idle}`)]),
  ];
}

export function variable(name: string, value: string): Variable {
  return { name, value };
}

function ofPod(name: string, fieldPath: string): Variable {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
