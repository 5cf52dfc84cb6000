/** Defaults of a Pod spec, in a Pod or a template. */
import { type JsonObject } from '../json.ts';
import { textAt, withFields, type KubeObject } from '../kube-object.ts';
import { filled, hasObject, objectAt, withEach, withPart } from './reading.ts';
import { volumeDefaults } from './volume-defaults.ts';

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

export function podSpecDefaults(spec: JsonObject): JsonObject {
  const whole = filled(withAccountTwice(spec), {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  const ports = spec['hostNetwork'] === true ? withHostPorts : (container: JsonObject) => container;
  const contained = containerLists.reduce(
    (at, list) => withEach(at, list, (container) => ports(containerDefaults(container))),
    whole,
  );
  return withEach(contained, 'volumes', volumeDefaults);
}

/** The account also has a deprecated field. */
function withAccountTwice(spec: JsonObject): JsonObject {
  const account = textAt(spec, 'serviceAccountName') ?? textAt(spec, 'serviceAccount');
  return account === undefined ? spec : { ...spec, serviceAccountName: account, serviceAccount: account };
}

function containerDefaults(container: JsonObject): JsonObject {
  const probed = probes.reduce((at, probe) => withPart(at, probe, probeDefaults), container);
  const handled = withPart(probed, 'lifecycle', (lifecycle) =>
    ['postStart', 'preStop'].reduce((at, hook) => withPart(at, hook, httpDefaults), lifecycle),
  );
  return filled(withEach(handled, 'env', variableDefaults), {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(textAt(container, 'image') ?? ''),
  });
}

/** A mutable tag is pulled each time. */
function pullPolicy(image: string): string {
  const [name = ''] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  const moves = tag === 'latest' || (tag === undefined && !image.includes('@'));
  return moves ? 'Always' : 'IfNotPresent';
}

function probeDefaults(probe: JsonObject): JsonObject {
  return filled(httpDefaults(probe), {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
}

function httpDefaults(handler: JsonObject): JsonObject {
  return withPart(handler, 'httpGet', (get) => filled(get, { path: '/', scheme: 'HTTP' }));
}

function variableDefaults(variable: JsonObject): JsonObject {
  return withPart(variable, 'valueFrom', (from) =>
    withPart(from, 'fieldRef', (field) => filled(field, { apiVersion: 'v1' })),
  );
}

/** With hostNetwork, hostPort equals containerPort. */
function withHostPorts(container: JsonObject): JsonObject {
  return withEach(container, 'ports', (port) => filled(port, { hostPort: port['containerPort'] ?? 0 }));
}

/** Defaults of Pods, not of templates. */
export function podDefaults(pod: KubeObject): KubeObject {
  const spec = podSpecDefaults(filled(objectAt(pod, 'spec'), { enableServiceLinks: true }));
  const asked = ['initContainers', 'containers'].reduce((at, list) => withEach(at, list, withRequests), spec);
  return withFields(pod, { spec: withPodRequests(asked) });
}

/** A limit without a request is also the request. */
function withRequests(container: JsonObject): JsonObject {
  const resources = objectAt(container, 'resources');
  if (!hasObject(resources, 'limits')) return container;
  const requests = filled(objectAt(resources, 'requests'), objectAt(resources, 'limits'));
  return { ...container, resources: { ...resources, requests } };
}

function withPodRequests(spec: JsonObject): JsonObject {
  return withPart(spec, 'resources', (resources) =>
    hasObject(resources, 'limits')
      ? { ...resources, requests: filled(objectAt(resources, 'requests'), objectAt(resources, 'limits')) }
      : resources,
  );
}
