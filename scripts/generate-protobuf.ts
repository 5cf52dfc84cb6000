/**
 * Writes the table of protobuf messages from the Go sources of the Kubernetes API, in the version of the reference
 * programs. Needs Go. The table is committed, and a test compares it with the real server.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGoPackage } from './generate/protobuf/go-structs.ts';
import { messageTable, type Packages } from './generate/protobuf/message-table.ts';

const packages: Readonly<Record<string, string>> = {
  core: 'k8s.io/api/core/v1',
  apiextensions: 'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1',
  apps: 'k8s.io/api/apps/v1',
  authentication: 'k8s.io/api/authentication/v1',
  authorization: 'k8s.io/api/authorization/v1',
  autoscaling: 'k8s.io/api/autoscaling/v1',
  coordination: 'k8s.io/api/coordination/v1',
  discovery: 'k8s.io/api/discovery/v1',
  events: 'k8s.io/api/events/v1',
  node: 'k8s.io/api/node/v1',
  policy: 'k8s.io/api/policy/v1',
  rbac: 'k8s.io/api/rbac/v1',
  storage: 'k8s.io/api/storage/v1',
  meta: 'k8s.io/apimachinery/pkg/apis/meta/v1',
};

/** All served kinds that a Go client may send. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  core: [
    'Binding',
    'ConfigMap',
    'Endpoints',
    'Event',
    'Namespace',
    'Node',
    'Pod',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  apiextensions: ['CustomResourceDefinition'],
  apps: ['Deployment'],
  authentication: ['SelfSubjectReview', 'TokenRequest', 'TokenReview'],
  authorization: [
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
  ],
  autoscaling: ['Scale'],
  coordination: ['Lease'],
  discovery: ['EndpointSlice'],
  events: ['Event'],
  node: ['RuntimeClass'],
  policy: ['Eviction'],
  rbac: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  storage: ['VolumeAttachment'],
};

const groups: Readonly<Record<string, string>> = {
  core: 'v1',
  apps: 'apps/v1',
  autoscaling: 'autoscaling/v1',
  policy: 'policy/v1',
};

const root = join(import.meta.dirname, '..');
const target = 'src/embedded/kubernetes-api/protobuf/generated/messages.json';

function folderOf(path: string): string {
  const [, module = '', below = ''] = /^(k8s\.io\/[^/]+)\/(.+)$/.exec(path) ?? [];
  const cwd = join(root, 'test', 'real', 'modules', 'kube');
  const dir = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd, encoding: 'utf8' });
  return join(dir.trim(), below);
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.go') && !/_test\.go$|^generated|^zz_/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

const read: Packages = new Map(
  Object.entries(packages).map(([short, path]) => [
    path,
    { short, content: readGoPackage(sourcesIn(folderOf(path))) },
  ]),
);
const wanted = Object.entries(kinds).flatMap(([short, names]) =>
  names.map((name) => [
    `${groups[short] ?? `${short === 'rbac' ? 'rbac.authorization' : short}.k8s.io/v1`} ${name}`,
    `${short}.${name}`,
  ]),
);
const table = messageTable(read, { ...Object.fromEntries(wanted), 'v1 DeleteOptions': 'meta.DeleteOptions' });
writeFileSync(join(root, target), `${JSON.stringify(table, undefined, 1)}\n`);
process.stdout.write(`${target}: ${Object.keys(table.messages).length} messages\n`);
