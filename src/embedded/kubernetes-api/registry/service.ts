/** Services: defaults and validation. `service-addresses.ts` allocates the addresses. */
import { isJsonEqual, without, type Json, type JsonObject } from '../json.ts';
import { numberAt, textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { forbidden, portCauses, required, twice, wrong } from './causes.ts';
import { isLabelName } from './names.ts';
import { filled, objectAt, objectsAt, textsAt, withEach, withPart } from './reading.ts';

const affinitySeconds = 10_800;
const outside = new Set(['NodePort', 'LoadBalancer']);

/** Whether the Service is reachable from outside the cluster. */
export function isOutside(spec: JsonObject): boolean {
  return outside.has(textAt(spec, 'type') ?? '');
}

export function hasAddress(spec: JsonObject): boolean {
  return textAt(spec, 'type') !== 'ExternalName';
}

export function isHeadless(spec: JsonObject): boolean {
  return hasAddress(spec) && textAt(spec, 'clusterIP') === 'None';
}

export function serviceDefaults(service: KubeObject): KubeObject {
  const given = filled(objectAt(service, 'spec'), { sessionAffinity: 'None', type: 'ClusterIP' });
  const spec = withEach(withAffinity(given), 'ports', (port) =>
    isUnset(port['targetPort']) ? { ...port, targetPort: port['port'] ?? 0 } : port,
  );
  const status = withPart(objectAt(service, 'status'), 'loadBalancer', (balancer) =>
    withEach(balancer, 'ingress', (one) => ('ip' in one ? filled(one, { ipMode: 'VIP' }) : one)),
  );
  return withFields(service, { spec: withPolicies(spec), status });
}

function isUnset(target: Json | undefined): boolean {
  return target === undefined || target === 0 || target === '';
}

function withAffinity(spec: JsonObject): JsonObject {
  if (spec['sessionAffinity'] === 'None') return without(spec, 'sessionAffinityConfig');
  const config = objectAt(spec, 'sessionAffinityConfig');
  const clientIP = filled(objectAt(config, 'clientIP'), { timeoutSeconds: affinitySeconds });
  return { ...spec, sessionAffinityConfig: { ...config, clientIP } };
}

function withPolicies(spec: JsonObject): JsonObject {
  const { type } = spec;
  return filled(spec, {
    ...(hasAddress(spec) && { internalTrafficPolicy: 'Cluster' }),
    ...(isOutside(spec) && { externalTrafficPolicy: 'Cluster' }),
    ...(type === 'LoadBalancer' && { allocateLoadBalancerNodePorts: true }),
  });
}

export function serviceCauses(service: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const spec = objectAt(service, 'spec');
  const ports = objectsAt(spec, 'ports');
  const name = textAt(spec, 'externalName') ?? '';
  return [
    ...(ports.length === 0 && hasAddress(spec) && !isHeadless(spec) ? [required('spec.ports')] : []),
    ...(!hasAddress(spec) && name === '' ? [required('spec.externalName')] : []),
    ...ports.flatMap((port, index) => onePort(port, `spec.ports[${index}]`, ports.length > 1)),
    ...repeatedPorts(ports),
    ...(isOutside(spec) ? [] : nodePortCauses(ports, textAt(spec, 'type') ?? '')),
    ...ingressCauses(service, spec),
    ...(old === undefined ? [] : addressCauses(spec, objectAt(old, 'spec'))),
  ];
}

function onePort(port: JsonObject, at: string, mustHaveName: boolean): readonly Cause[] {
  const name = textAt(port, 'name') ?? '';
  const target = port['targetPort'];
  return [
    ...(name === '' && mustHaveName ? [required(`${at}.name`)] : []),
    ...(name !== '' && !isLabelName(name) ? [wrong(`${at}.name`, name, 'not a valid label name')] : []),
    ...portCauses(`${at}.port`, port['port']),
    ...(typeof target === 'number' && port['port'] !== target ? portCauses(`${at}.targetPort`, target) : []),
  ];
}

function repeatedPorts(ports: readonly JsonObject[]): readonly Cause[] {
  const [names, numbers] = [new Set<Json>(), new Set<string>()];
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const name = textAt(port, 'name') ?? '';
    const number = JSON.stringify([port['port'] ?? null, port['protocol'] ?? null]);
    const [sameName, same] = [name !== '' && names.has(name), numbers.has(number)];
    names.add(name);
    numbers.add(number);
    return [...(sameName ? [twice(`${at}.name`, name)] : []), ...(same ? [twice(at, port)] : [])];
  });
}

function nodePortCauses(ports: readonly JsonObject[], type: string): readonly Cause[] {
  return ports.flatMap((port, index) =>
    (numberAt(port, 'nodePort') ?? 0) === 0
      ? []
      : [forbidden(`spec.ports[${index}].nodePort`, `may not be used when \`type\` is '${type}'`)],
  );
}

function ingressCauses(service: KubeObject, spec: JsonObject): readonly Cause[] {
  const ingress = objectsAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress');
  if (ingress.length === 0 || textAt(spec, 'type') === 'LoadBalancer') return [];
  return [forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")];
}

/** Clients cache an address, so it is immutable while the Service has one. */
function addressCauses(spec: JsonObject, old: JsonObject): readonly Cause[] {
  if (!hasAddress(spec) || !hasAddress(old)) return [];
  const [now, before]: readonly Json[] = [
    textsAt(spec, 'clusterIPs')[0] ?? '',
    textsAt(old, 'clusterIPs')[0] ?? '',
  ];
  if (before === '' || isJsonEqual(now, before)) return [];
  return [wrong('spec.clusterIPs[0]', now, 'may not change once set')];
}
