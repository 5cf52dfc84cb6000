/** Bodies that cost a server much more than their sender, each of any length. */

export interface HostileBody {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly contentType: string;
  /** About so many bytes. */
  readonly text: (bytes: number) => string;
}

const core = '/api/v1/namespaces/default';
const json = 'application/json';
const yaml = 'application/yaml';
const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';
const dry = '?dryRun=All';
const hostiles = '/apis/example.com/v1/namespaces/default/hostiles';
export const victim = 'victim';
const owned = 'owned';

/** As many items as fit. */
function listOf(bytes: number, item: (index: number) => string): string {
  const parts: string[] = [];
  for (let [index, length] = [0, 0]; length < bytes; index += 1) {
    const part = item(index);
    length += part.length + 1;
    parts.push(part);
  }
  return parts.join(',');
}

function body(name: string, more: Partial<HostileBody> & Pick<HostileBody, 'text'>): HostileBody {
  return { name, method: 'POST', path: `${core}/configmaps${dry}`, contentType: json, ...more };
}

function patch(
  name: string,
  contentType: string,
  more: Partial<HostileBody> & Pick<HostileBody, 'text'>,
): HostileBody {
  return body(name, { method: 'PATCH', path: `${core}/configmaps/${victim}${dry}`, contentType, ...more });
}

const inMetadata = (fields: string): string => `{"metadata":{"name":"a",${fields}}}`;
const key = (index: number): string => `"k${index}":"v"`;
const uid = (index: number): string =>
  `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u${index}","blockOwnerDeletion":true}`;
const services = `${core}/services${dry}`;
const deployments = `/apis/apps/v1/namespaces/default/deployments`;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const deployment = (spec: string, pod = ''): string =>
  `{"metadata":{"name":"a"},"spec":{${spec},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]${pod}}}}}`;
const selectsA = '"selector":{"matchLabels":{"a":"b"}}';
const hostile = (spec: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Hostile","metadata":{"name":"a"},"spec":{${spec}}}`;
const applied = (fields: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${victim}"},${fields}}`;
const crd = (schema: string): string =>
  `{"metadata":{"name":"others.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"others","kind":"Other"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",${schema}}}}]}}`;
const crds = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions${dry}`;

/** What the bodies are about: an object to patch, and one that most of the owners in a body of a megabyte own already. */
export const hostileObjects: readonly { readonly path: string; readonly text: string }[] = [
  { path: `${core}/configmaps`, text: `{"metadata":{"name":"${victim}"},"data":{}}` },
  {
    path: `${core}/configmaps`,
    // Its owners do not exist, so it is deleted; the finalizer keeps it.
    text: `{"metadata":{"name":"${owned}","finalizers":["a.b/kept"],"ownerReferences":[${listOf(900_000, uid)}]}}`,
  },
];

export const hostileBodies: readonly HostileBody[] = [
  body('quotes on GET', { method: 'GET', path: '/version', text: (bytes) => '"\\'.repeat(bytes / 2) }),
  body('quotes', { text: (bytes) => '"\\'.repeat(bytes / 2) }),
  body('nesting', { text: (bytes) => '['.repeat(bytes) }),
  body('nesting as deep as may be', {
    text: (bytes) => inMetadata(`"x":[${listOf(bytes, () => `${'['.repeat(990)}${']'.repeat(990)}`)}]`),
  }),
  body('keys', { text: (bytes) => `{"metadata":{"name":"a"},"data":{${listOf(bytes, key)}}}` }),
  body('unknown keys', { text: (bytes) => `{"metadata":{"name":"a"},${listOf(bytes, key)}}` }),
  body('unknown keys of metadata', { text: (bytes) => inMetadata(listOf(bytes, key)) }),
  body('repeated keys', {
    text: (bytes) => `{"metadata":{"name":"a"},"data":{${listOf(bytes, () => '"a":"b"')}}}`,
  }),
  body('keys in YAML', {
    contentType: yaml,
    text: (bytes) => listOf(bytes, (index) => `k${index}: v`).replaceAll(',', '\n'),
  }),
  body('nesting in YAML', { contentType: yaml, text: (bytes) => '- '.repeat(bytes / 2) }),
  body('owners', { text: (bytes) => inMetadata(`"ownerReferences":[${listOf(bytes, uid)}]`) }),
  body('labels', { text: (bytes) => inMetadata(`"labels":{${listOf(bytes, key)}}`) }),
  body('finalizers', {
    text: (bytes) => inMetadata(`"finalizers":[${listOf(bytes, (index) => `"a.b/f${index}"`)}]`),
  }),
  body('managed fields', {
    text: (bytes) =>
      inMetadata(
        `"managedFields":[${listOf(bytes, (index) => `{"manager":"m${index}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}`)}]`,
      ),
  }),
  body('ports of a Service', {
    path: services,
    text: (bytes) =>
      `{"metadata":{"name":"a"},"spec":{"ports":[${listOf(bytes, (index) => `{"name":"p${index}","port":${index}}`)}]}}`,
  }),
  body('addresses of Endpoints', {
    path: `${core}/endpoints${dry}`,
    text: (bytes) =>
      `{"metadata":{"name":"a"},"subsets":[{"addresses":[${listOf(bytes, (index) => `{"ip":"10.0.${(index >> 8) % 256}.${index % 256}"}`)}]}]}`,
  }),
  body('requirements of a selector', {
    path: `${deployments}${dry}`,
    text: (bytes) =>
      deployment(
        `"selector":{"matchExpressions":[${listOf(bytes, (index) => `{"key":"k${index}","operator":"Exists"}`)}]}`,
      ),
  }),
  body('values of a selector', {
    path: `${deployments}${dry}`,
    text: (bytes) =>
      deployment(
        `"selector":{"matchExpressions":[{"key":"a","operator":"In","values":[${listOf(bytes, (index) => `"v${index}"`)}]}]}`,
      ),
  }),
  body('volumes of a Pod', {
    path: `${deployments}${dry}`,
    text: (bytes) =>
      deployment(selectsA, `,"volumes":[${listOf(bytes, (index) => `{"name":"v${index}","emptyDir":{}}`)}]`),
  }),
  body('containers of a Pod', {
    path: `${core}/pods${dry}`,
    text: (bytes) =>
      `{"metadata":{"name":"a"},"spec":{"containers":[${listOf(bytes, (index) => `{"name":"c${index}","image":"i"}`)}]}}`,
  }),
  body('mounts of a container', {
    path: `${core}/pods${dry}`,
    text: (bytes) =>
      `{"metadata":{"name":"a"},"spec":{"volumes":[${listOf(bytes / 2, (index) => `{"name":"v${index}"}`)}],"containers":[{"name":"c","image":"i","volumeMounts":[${listOf(bytes / 2, (index) => `{"name":"v${index}","mountPath":"/${index}"}`)}]}]}}`,
  }),
  body('variables of a container', {
    path: `${core}/pods${dry}`,
    text: (bytes) =>
      `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","env":[${listOf(bytes, (index) => `{"name":"E${index}"}`)}]}]}}`,
  }),
  body('rules of a role', {
    path: `${rbac}/clusterroles${dry}`,
    text: (bytes) =>
      `{"metadata":{"name":"a"},"rules":[${listOf(bytes, (index) => `{"apiGroups":["g${index}"],"resources":["r"],"verbs":["get"]}`)}]}`,
  }),
  body('subjects of a binding', {
    path: `${rbac}/clusterrolebindings${dry}`,
    text: (bytes) =>
      `{"metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[${listOf(bytes, (index) => `{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"u${index}"}`)}]}`,
  }),
  body('groups of a review', {
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    text: (bytes) =>
      `{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"},"user":"u","groups":[${listOf(bytes, (index) => `"g${index}"`)}]}}`,
  }),
  patch('additions by JSON patch', jsonPatch, {
    text: (bytes) =>
      `[${listOf(bytes, (index) => `{"op":"add","path":"/data/k${index % 9000}${'x'.repeat(250)}","value":"${'v'.repeat(50)}"}`)}]`,
  }),
  patch('insertions by JSON patch', jsonPatch, {
    text: (bytes) =>
      `[{"op":"add","path":"/x","value":[${listOf(bytes / 2, () => '0')}]},${listOf(Math.min(bytes / 2, 350_000), () => '{"op":"add","path":"/x/0","value":1}')}]`,
  }),
  patch('copies by JSON patch', jsonPatch, {
    text: (bytes) =>
      `[{"op":"add","path":"/data/a","value":"${'x'.repeat(bytes / 2)}"},${listOf(Math.min(bytes / 2, 400_000), () => '{"op":"copy","from":"/data/a","path":"/data/b"}')}]`,
  }),
  patch('keys by merge patch', mergePatch, { text: (bytes) => `{"data":{${listOf(bytes, key)}}}` }),
  patch('keys by strategic merge', strategic, { text: (bytes) => `{"data":{${listOf(bytes, key)}}}` }),
  patch('owners by strategic merge', strategic, {
    text: (bytes) => `{"metadata":{"ownerReferences":[${listOf(bytes, uid)}]}}`,
  }),
  patch('owners by strategic merge, most there', strategic, {
    path: `${core}/configmaps/${owned}${dry}`,
    text: (bytes) => `{"metadata":{"ownerReferences":[${listOf(bytes, uid)}]}}`,
  }),
  patch('order by strategic merge', strategic, {
    text: (bytes) =>
      `{"metadata":{"$setElementOrder/finalizers":[${listOf(bytes / 2, (index) => `"a.b/f${index}"`)}],"finalizers":[${listOf(bytes / 2, (index) => `"a.b/f${index}"`)}]}}`,
  }),
  patch('removals by strategic merge', strategic, {
    text: (bytes) =>
      `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${listOf(bytes / 2, (index) => `"a.b/g${index}"`)}],"finalizers":[${listOf(bytes / 2, (index) => `"a.b/f${index}"`)}]}}`,
  }),
  patch('keys by apply', apply, {
    path: `${core}/configmaps/${victim}${dry}&fieldManager=m`,
    text: (bytes) => applied(`"data":{${listOf(bytes, key)}}`),
  }),
  patch('owners by apply', apply, {
    path: `${core}/configmaps/${victim}${dry}&fieldManager=m`,
    text: (bytes) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${victim}","ownerReferences":[${listOf(bytes, uid)}]}}`,
  }),
  body('items with keys', {
    path: `${hostiles}${dry}`,
    text: (bytes) => hostile(`"items":[${listOf(bytes, (index) => `{"name":"n${index}"}`)}]`),
  }),
  body('values of a set', {
    path: `${hostiles}${dry}`,
    text: (bytes) => hostile(`"set":[${listOf(bytes, (index) => `"v${index}"`)}]`),
  }),
  body('unknown keys in items', {
    path: `${hostiles}${dry}`,
    text: (bytes) => hostile(`"items":[${listOf(bytes, (index) => `{"name":"n${index}","x":1}`)}]`),
  }),
  body('CEL on each item', {
    path: `${hostiles}${dry}`,
    text: (bytes) => hostile(`"ruled":[${listOf(bytes, (index) => `{"n":${index}}`)}]`),
  }),
  body('CEL on a whole list', {
    path: `${hostiles}${dry}`,
    text: (bytes) => hostile(`"counted":[${listOf(bytes, (index) => `${index}`)}]`),
  }),
  body('CEL in a definition', {
    path: crds,
    text: (bytes) =>
      crd(
        `"x-kubernetes-validations":[${listOf(bytes, (index) => `{"rule":"has(self.metadata) && ${index} > 0"}`)}]`,
      ),
  }),
  body('CEL of quotes in a definition', {
    path: crds,
    text: (bytes) => crd(`"x-kubernetes-validations":[{"rule":${JSON.stringify('"\\'.repeat(bytes / 4))}}]`),
  }),
  body('CEL of open texts in a definition', {
    path: crds,
    text: (bytes) =>
      crd(`"x-kubernetes-validations":[{"rule":${JSON.stringify('r"""\\'.repeat(bytes / 9))}}]`),
  }),
  body('properties of a definition', {
    path: crds,
    text: (bytes) => crd(`"properties":{${listOf(bytes, (index) => `"p${index}":{"type":"string"}`)}}`),
  }),
  body('keys of lists in a definition', {
    path: crds,
    text: (bytes) =>
      crd(
        `"properties":{"p":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[${listOf(bytes, (index) => `"k${index}"`)}],"items":{"type":"object"}}}`,
      ),
  }),
  body('values of a definition', {
    path: crds,
    text: (bytes) =>
      crd(`"properties":{"p":{"type":"string","enum":[${listOf(bytes, (index) => `"v${index}"`)}]}}`),
  }),
];
