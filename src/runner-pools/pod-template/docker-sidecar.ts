/**
 * The docker of a job: a privileged sidecar, which is why the whole Pod must be a virtual machine. The file system that
 * the virtual machine shares with its Node cannot hold image layers, so docker gets a disk in a file.
 */
import type { TemplateParts } from './pod-parts.ts';

const storage = { name: 'dind-storage', mountPath: '/var/lib/dind' };
const socketFolder = '/run/dind';
const work = { name: 'work', mountPath: '/home/runner/work' };

export const dockerSocket = {
  url: `unix://${socketFolder}/docker.sock`,
  mount: { name: 'dind-sock', mountPath: socketFolder },
};

export const dockerVolumes = [
  { name: storage.name, emptyDir: {} },
  { name: dockerSocket.mount.name, emptyDir: {} },
];

/** The group of the runner user in the images. */
const group = 123;
const filesMax = 1_048_576;
const probe = { periodSeconds: 2, failureThreshold: 60 };

export function dockerSidecar({ settings }: TemplateParts): object {
  const { dindImage, registryMirrorUrl } = settings;
  return {
    name: 'dind',
    image: dindImage,
    // A sidecar: it runs beside the other containers and ends with them.
    restartPolicy: 'Always',
    command: ['sh', '-c', script, 'dind', ...flagsWith(registryMirrorUrl)],
    env: [{ name: 'DOCKER_HOST', value: dockerSocket.url }],
    securityContext: { privileged: true },
    startupProbe: { exec: { command: ['docker', 'info'] }, ...probe },
    volumeMounts: [storage, dockerSocket.mount, work],
  };
}

const disk = `${storage.mountPath}/disk`;

const script = [
  'set -eu',
  `if [ ! -e ${disk} ]; then truncate -s 100G ${disk}; mkfs.ext4 -q -F ${disk}; fi`,
  'mkdir -p /var/lib/docker',
  `mount -o loop ${disk} /var/lib/docker`,
  `ulimit -n ${filesMax}`,
  'exec dockerd "$@"',
].join('\n');

function flagsWith(mirror: string | undefined): readonly string[] {
  return [
    `--host=${dockerSocket.url}`,
    `--group=${group}`,
    ...(mirror === undefined ? [] : [`--registry-mirror=${mirror}`]),
  ];
}
