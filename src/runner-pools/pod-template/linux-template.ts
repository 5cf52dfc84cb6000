/**
 * The Pod of a Linux runner. The poller container has the token and polls for a job; the runner container runs the job,
 * without the token. Docker for jobs runs as a sidecar inside the same virtual machine.
 */
import { labels } from '../../api/names/labels.ts';
import { dockerSidecar, dockerSocket, dockerVolumes } from './docker-sidecar.ts';
import {
  dispatchVariables,
  resourcesOf,
  runnerVariables,
  variable,
  type TemplateParts,
} from './pod-parts.ts';
import { pollerContainer, runnerContainer } from '../pods/runner-pods.ts';

const tokenVolume = 'tuist-runner-token';
const tokenFolder = '/var/run/secrets/tuist-runner';
const registrationVolume = 'tuist-runner-jit';
const registrationFolder = '/var/lib/tuist-runner';
const workVolume = { name: 'work', mountPath: '/home/runner/work' };
const tokenSeconds = 3600;
/** Readable only for the user of the poller. */
const tokenMode = 0o400;

/** Programs in the image. */
const programs = { poll: '/opt/tuist/dispatch-poll', run: '/opt/tuist/run-runner' };

export function linuxPodSpec(parts: TemplateParts): object {
  const { pool, settings } = parts;
  const hasDocker = settings.dindImage !== undefined;
  return {
    nodeSelector: {
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      [labels.linuxPool.key]: pool.spec.fleetSelector,
    },
    tolerations: [
      { key: 'tuist.dev/runner-tier', operator: 'Equal', value: 'bare-metal', effect: 'NoSchedule' },
    ],
    automountServiceAccountToken: false,
    volumes: [
      tokenSource,
      { name: registrationVolume, emptyDir: {} },
      { name: workVolume.name, emptyDir: {} },
      ...(hasDocker ? dockerVolumes : []),
    ],
    initContainers: [...(hasDocker ? [dockerSidecar(parts)] : []), poller(parts)],
    containers: [runner(parts)],
  };
}

const tokenSource = {
  name: tokenVolume,
  projected: {
    defaultMode: tokenMode,
    sources: [
      {
        serviceAccountToken: {
          audience: 'tuist-runners-dispatch',
          expirationSeconds: tokenSeconds,
          path: 'token',
        },
      },
    ],
  },
};

function poller({ pool, settings }: TemplateParts): object {
  const { dispatchUrl, dispatchInternalUrl } = settings;
  return {
    name: pollerContainer,
    image: pool.spec.image,
    command: [programs.poll],
    env: dispatchVariables(pool, dispatchInternalUrl ?? dispatchUrl),
    // Only this user can read the token.
    securityContext: { runAsUser: 0 },
    volumeMounts: [
      { name: tokenVolume, mountPath: tokenFolder, readOnly: true },
      { name: registrationVolume, mountPath: registrationFolder },
    ],
  };
}

function runner({ pool, settings }: TemplateParts): object {
  const docker = settings.dindImage === undefined ? [] : [variable('DOCKER_HOST', dockerSocket.url)];
  return {
    name: runnerContainer,
    image: pool.spec.image,
    command: [programs.run],
    env: [...runnerVariables(pool), ...docker],
    resources: resourcesOf(pool),
    volumeMounts: [
      { name: registrationVolume, mountPath: registrationFolder, readOnly: true },
      workVolume,
      ...(settings.dindImage === undefined ? [] : [dockerSocket.mount]),
    ],
  };
}
