/** An object of each protobuf kind, with as many fields as a server accepts. */
import { sampleDefinition } from './sample-definition.ts';

export interface Sample {
  readonly title: string;
  /** The path for creating objects of the kind. */
  readonly path: string;
  /** A review is answered and not stored. */
  readonly isStored: boolean;
  readonly body: { readonly metadata: { readonly name: string }; readonly [field: string]: unknown };
}

const core = '/api/v1/namespaces/default';

function stored(apiVersion: string, kind: string, more: Partial<Sample> & { fields: object }): Sample {
  const [group, version = group] = apiVersion.split('/');
  const root = group === version ? '/api/v1' : `/apis/${apiVersion}`;
  const { fields, path = `${root}/namespaces/default/${kind.toLowerCase()}s`, isStored = true } = more;
  const metadata = {
    name: `sample-${kind.toLowerCase()}`,
    labels: { team: 'ci' },
    annotations: { 'example.com/note': 'a text' },
    finalizers: ['example.com/held'],
  };
  return {
    title: `${apiVersion} ${kind}`,
    path,
    isStored,
    body: { apiVersion, kind, metadata, ...fields },
  };
}

const probe = {
  httpGet: { path: '/healthz', port: 'http', scheme: 'HTTPS', httpHeaders: [{ name: 'a', value: 'b' }] },
  initialDelaySeconds: 3,
};
const podSpec = {
  serviceAccountName: 'robot',
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 0,
  nodeSelector: { 'kubernetes.io/os': 'darwin' },
  tolerations: [
    { key: 'dedicated', operator: 'Equal', value: 'mac', effect: 'NoExecute', tolerationSeconds: 0 },
  ],
  priority: 0,
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 5,
          preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] },
        },
      ],
    },
  },
  volumes: [
    { name: 'empty', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'config', configMap: { name: 'settings', defaultMode: 0o440, items: [{ key: 'a', path: 'b' }] } },
    {
      name: 'all',
      projected: {
        sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600, audience: 'x' } }],
      },
    },
  ],
  containers: [
    {
      name: 'main',
      image: 'example.com/image:1',
      command: ['a', 'b'],
      ports: [{ name: 'http', containerPort: 80 }],
      env: [
        { name: 'PLAIN', value: 'x' },
        { name: 'EMPTY', value: '' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'a', optional: false } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
      envFrom: [{ prefix: 'P_', configMapRef: { name: 'settings', optional: true } }],
      resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } },
      livenessProbe: probe,
      readinessProbe: { tcpSocket: { port: 80 }, failureThreshold: 1 },
      lifecycle: { preStop: { exec: { command: ['true'] } } },
      securityContext: { runAsUser: 0, privileged: false, capabilities: { drop: ['ALL'] } },
      volumeMounts: [{ name: 'empty', mountPath: '/data', readOnly: true }],
    },
  ],
};
const attributes = {
  resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods', subresource: 'log', name: 'a' },
};
const rules = [{ apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['get', 'list'] }];
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const subjects = [
  { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
  { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'someone' },
];
const regarding = { kind: 'Pod', apiVersion: 'v1', namespace: 'default', name: 'a', uid: 'b' };
const rbac = '/apis/rbac.authorization.k8s.io/v1';

export const samples: readonly Sample[] = [
  stored('v1', 'Namespace', { path: '/api/v1/namespaces', fields: {} }),
  stored('v1', 'ServiceAccount', {
    fields: { secrets: [{ name: 'key' }], imagePullSecrets: [{ name: 'pull' }] },
  }),
  stored('v1', 'ConfigMap', {
    fields: { data: { a: 'b', empty: '' }, binaryData: { c: 'AAEC' }, immutable: false },
  }),
  stored('v1', 'Secret', { fields: { data: { a: 'AAEC', empty: '' }, type: 'example.com/key' } }),
  {
    title: 'v1 ServiceAccount for the Pod',
    path: `${core}/serviceaccounts`,
    isStored: true,
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
  },
  stored('v1', 'Pod', { fields: { spec: podSpec } }),
  stored('v1', 'Node', {
    path: '/api/v1/nodes',
    fields: {
      spec: {
        podCIDR: '10.1.0.0/24',
        podCIDRs: ['10.1.0.0/24'],
        taints: [{ key: 'a', effect: 'NoSchedule' }],
      },
      status: {
        capacity: { cpu: '8', memory: '16Gi', pods: '2' },
        conditions: [{ type: 'Ready', status: 'False', reason: 'Starting' }],
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
        nodeInfo: { kubeletVersion: 'v1.36.4', operatingSystem: 'darwin' },
      },
    },
  }),
  stored('v1', 'Service', {
    fields: {
      spec: {
        selector: { app: 'a' },
        ports: [
          { name: 'http', port: 80, targetPort: 'http' },
          { name: 'https', port: 443, targetPort: 8443, appProtocol: 'https' },
        ],
      },
    },
  }),
  stored('v1', 'Endpoints', {
    path: `${core}/endpoints`,
    fields: { subsets: [{ addresses: [{ ip: '10.1.0.4', nodeName: 'mac' }], ports: [{ port: 80 }] }] },
  }),
  stored('v1', 'Event', {
    fields: {
      involvedObject: regarding,
      reason: 'Scheduled',
      message: 'on a Node',
      source: { component: 'scheduler', host: 'mac' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:01Z',
      count: 2,
      type: 'Normal',
    },
  }),
  stored('events.k8s.io/v1', 'Event', {
    fields: {
      metadata: { name: 'sample-new' },
      eventTime: '2026-01-01T00:00:00.000123Z',
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.123456Z' },
      regarding,
      reason: 'Scheduled',
      note: 'on a Node',
      type: 'Normal',
      action: 'Binding',
      reportingController: 'example.com/scheduler',
      reportingInstance: 'scheduler-0',
    },
  }),
  stored('coordination.k8s.io/v1', 'Lease', {
    fields: {
      spec: {
        holderIdentity: '',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.654321Z',
        leaseTransitions: 0,
      },
    },
  }),
  stored('apps/v1', 'Deployment', {
    fields: {
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '50%' } },
        template: {
          metadata: { labels: { app: 'a' } },
          spec: { containers: podSpec.containers, volumes: podSpec.volumes },
        },
      },
    },
  }),
  stored('rbac.authorization.k8s.io/v1', 'Role', { fields: { rules } }),
  stored('rbac.authorization.k8s.io/v1', 'RoleBinding', { fields: { roleRef, subjects } }),
  stored('rbac.authorization.k8s.io/v1', 'ClusterRole', {
    path: `${rbac}/clusterroles`,
    fields: {
      rules: [...rules, { nonResourceURLs: ['/metrics'], verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  }),
  stored('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', {
    path: `${rbac}/clusterrolebindings`,
    fields: { roleRef, subjects },
  }),
  stored('node.k8s.io/v1', 'RuntimeClass', {
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    fields: {
      handler: 'tart',
      overhead: { podFixed: { memory: '1Gi' } },
      scheduling: { nodeSelector: { a: 'b' } },
    },
  }),
  stored('storage.k8s.io/v1', 'VolumeAttachment', {
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    fields: {
      spec: { attacher: 'csi.muster.dev', nodeName: 'a', source: { persistentVolumeName: 'disk' } },
      status: { attached: false },
    },
  }),
  stored('discovery.k8s.io/v1', 'EndpointSlice', {
    fields: {
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['10.1.1.1'],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', name: 'a' },
          zone: 'z',
        },
        { addresses: ['10.1.1.2'], hostname: 'h', nodeName: 'n', hints: { forZones: [{ name: 'z' }] } },
      ],
      ports: [{ name: 'https', port: 443, protocol: 'TCP', appProtocol: 'https' }],
    },
  }),
  stored('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    fields: sampleDefinition,
  }),
  stored('authorization.k8s.io/v1', 'SubjectAccessReview', {
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    isStored: false,
    fields: {
      metadata: { name: '' },
      spec: { ...attributes, user: 'a', groups: ['b'], extra: { c: ['d', 'e'] } },
    },
  }),
  stored('authorization.k8s.io/v1', 'SelfSubjectAccessReview', {
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    isStored: false,
    fields: { metadata: { name: '' }, spec: { nonResourceAttributes: { path: '/version', verb: 'get' } } },
  }),
  stored('authorization.k8s.io/v1', 'SelfSubjectRulesReview', {
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    isStored: false,
    fields: { metadata: { name: '' }, spec: { namespace: 'default' } },
  }),
  stored('authentication.k8s.io/v1', 'SelfSubjectReview', {
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    isStored: false,
    fields: { metadata: { name: '' } },
  }),
];
