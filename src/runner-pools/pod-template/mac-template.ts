/** The Pod of a Mac runner: one container, which is a virtual machine. The agent of the Node passes the token in. */
import { createHash } from 'node:crypto';
import { labels } from '../../api/names/labels.ts';
import { nodeLabelsOf } from '../state/runner-pool-objects.ts';
import {
  dispatchVariables,
  resourcesOf,
  runnerVariables,
  variable,
  type TemplateParts,
} from './pod-parts.ts';
import { runnerContainer } from '../pods/runner-pods.ts';

const markBytes = 8;

export function macPodSpec({ pool, settings }: TemplateParts): object {
  const { dispatchUrl, clusterDnsIp, clusterDomain } = settings;
  return {
    nodeSelector: { ...nodeLabelsOf(pool), [labels.runtime.key]: 'tart' },
    tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists', effect: 'NoSchedule' }],
    affinity: { nodeAffinity: preferring(pool.spec.image) },
    // The ServiceAccount disables the mount; the Pod enables it.
    automountServiceAccountToken: true,
    containers: [
      {
        name: runnerContainer,
        image: pool.spec.image,
        env: [
          ...dispatchVariables(pool, dispatchUrl),
          ...runnerVariables(pool),
          ...(clusterDnsIp === undefined ? [] : [variable('TUIST_CLUSTER_DNS_IP', clusterDnsIp)]),
          ...(clusterDomain === undefined ? [] : [variable('TUIST_CLUSTER_DOMAIN', clusterDomain)]),
        ],
        resources: resourcesOf(pool),
      },
    ],
  };
}

/** A Mac that already has the image is ready minutes sooner. */
function preferring(image: string): object {
  const key = `tuist.dev/golden-${imageMark(image)}`;
  const preference = { matchExpressions: [{ key, operator: 'Exists' }] };
  return { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] };
}

/** The mark that agents put on their Nodes. */
export function imageMark(image: string): string {
  return createHash('sha256')
    .update(image)
    .digest('hex')
    .slice(0, 2 * markBytes);
}
