/** A small chart with one of everything that charts usually have, written to a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { shelf, shelfDefinition } from '../kubectl/flow.ts';

const labels = { 'app.kubernetes.io/instance': '{{ .Release.Name }}' };

const files: Readonly<Record<string, object>> = {
  'Chart.yaml': { apiVersion: 'v2', name: 'small', version: '1.0.0', appVersion: '1' },
  'values.yaml': { image: 'none:1', replicas: 1, size: 'small' },
  'crds/shelves.yaml': shelfDefinition,
  'templates/settings.yaml': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '{{ .Release.Name }}-settings', labels },
    data: { size: '{{ .Values.size }}', revision: '{{ .Release.Revision }}' },
  },
  'templates/account.yaml': {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: '{{ .Release.Name }}', labels },
  },
  'templates/role.yaml': {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: '{{ .Release.Name }}', labels },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
  },
  'templates/binding.yaml': {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: '{{ .Release.Name }}', labels },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: '{{ .Release.Name }}' },
    subjects: [
      { kind: 'ServiceAccount', name: '{{ .Release.Name }}', namespace: '{{ .Release.Namespace }}' },
    ],
  },
  'templates/service.yaml': {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: '{{ .Release.Name }}', labels },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  },
  'templates/shelf.yaml': shelf('{{ .Release.Name }}', { boxes: 2 }),
  'templates/hook.yaml': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: '{{ .Release.Name }}-before',
      annotations: {
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      },
    },
    data: { revision: '{{ .Release.Revision }}' },
  },
};

/** The number of replicas must not be quoted, so this file is written as text. */
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      app: {{ .Release.Name }}
  template:
    metadata:
      labels:
        app: {{ .Release.Name }}
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers:
        - name: main
          image: {{ .Values.image | quote }}
`;

/** Returns the folder of the chart. */
export async function writeChart(dir: string): Promise<string> {
  const chart = join(dir, 'small');
  const texts = Object.entries(files).map(([name, content]) => [name, stringify(content)] as const);
  for (const [name, text] of [...texts, ['templates/deployment.yaml', deployment] as const]) {
    await mkdir(dirname(join(chart, name)), { recursive: true });
    await writeFile(join(chart, name), text);
  }
  return chart;
}
