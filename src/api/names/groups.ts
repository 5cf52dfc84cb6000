/** The API groups of Muster's kinds, and their common version. */

export const groups = {
  infrastructure: 'infrastructure.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  muster: 'muster.dev',
  tuist: 'tuist.dev',
} as const;

export const version = 'v1alpha1';
