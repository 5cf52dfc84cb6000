/** A ready Mac, and a Deployment that should use all Macs. */
const appLabels = { app: 'processor' };

export const processor: object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'processor' },
  spec: {
    replicas: 1,
    selector: { matchLabels: appLabels },
    template: {
      metadata: { labels: appLabels },
      spec: { containers: [{ name: 'main', image: 'none' }] },
    },
  },
};

/** As if all its Pods ran. */
export const settledStatus = {
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
};

export const readyMac: object = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'mac-1', labels: { 'kubernetes.io/os': 'darwin', 'tuist.dev/runtime': 'tart' } },
};

export const readyNodeStatus = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
