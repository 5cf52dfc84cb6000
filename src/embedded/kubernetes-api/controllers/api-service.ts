/**
 * The Service `kubernetes` in the namespace `default`, with its endpoint, by which clients inside the cluster find the
 * API server. Changes and deletions are reverted.
 */
import { isIPv6 } from 'node:net';
import { isJsonEqual, type JsonObject } from '../json.ts';
import { isDeleting, withFields } from '../kube-object.ts';
import { objectAt } from '../registry/reading.ts';
import { apiVersionOf, storageName } from '../registry/resource.ts';
import { apiServiceAddress } from '../registry/service-addresses.ts';
import { keyOf } from '../store/store.ts';
import type { Call, Parts } from '../verbs/call.ts';
import { callOn, createUnlessThere, write } from './writing.ts';

/** Where the server listens. */
export interface ListenAddress {
  readonly ip: string;
  readonly port: number;
}

const name = 'kubernetes';
const namespace = 'default';
const servicePort = 443;
const followed = ['services', 'endpoints', 'endpointslices.discovery.k8s.io'];

export function runApiService(parts: Parts, lagMs: number, address: ListenAddress): void {
  let isDue = false;
  publish(parts, address);
  for (const storage of followed)
    parts.store.follow(storage, parts.store.revision, ({ key }) => {
      if (isDue || key !== keyOf(namespace, name)) return;
      isDue = true;
      parts.clock.after(lagMs, () => {
        isDue = false;
        publish(parts, address);
      });
    });
}

function publish(parts: Parts, { ip, port }: ListenAddress): void {
  const target = { name: 'https', port, protocol: 'TCP' };
  publishService(callOn(parts, 'services', namespace), port);
  keep(uncheckedCall(parts, 'endpoints'), {
    labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    fields: { subsets: [{ addresses: [{ ip }], ports: [target] }] },
  });
  keep(uncheckedCall(parts, 'endpointslices'), {
    labels: { 'kubernetes.io/service-name': name },
    fields: {
      addressType: isIPv6(ip) ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      ports: [target],
    },
  });
}

/** The server listens on loopback, which the validation rejects as an endpoint. */
function uncheckedCall(parts: Parts, plural: string): Call {
  const call = callOn(parts, plural, namespace);
  return { ...call, resource: { ...call.resource, validate: () => [] } };
}

function publishService(call: Call, targetPort: number): void {
  const ports = [{ name: 'https', port: servicePort, protocol: 'TCP', targetPort }];
  const spec = { type: 'ClusterIP', sessionAffinity: 'None', ports };
  const found = call.store.get('services', keyOf(namespace, name));
  if (found === undefined) {
    const body = bodyOf('v1', 'Service', { component: 'apiserver', provider: 'kubernetes' });
    // In an earlier state another Service may have the usual address.
    if (createUnlessThere(call, { ...body, spec: { ...spec, clusterIP: apiServiceAddress } }) === undefined)
      createUnlessThere(call, { ...body, spec });
  } else if (!isDeleting(found) && !isJsonEqual(objectAt(found, 'spec')['ports'], ports)) {
    write(call, found, withFields(found, { spec: { ...objectAt(found, 'spec'), ports } }));
  }
}

function keep(
  call: Call,
  { labels, fields }: { readonly labels: JsonObject; readonly fields: JsonObject },
): void {
  const found = call.store.get(storageName(call.resource), keyOf(namespace, name));
  if (found === undefined) {
    const body = bodyOf(apiVersionOf(call.resource), call.resource.kind, labels);
    createUnlessThere(call, { ...body, ...fields });
  } else if (
    !isDeleting(found) &&
    Object.entries(fields).some(([key, value]) => !isJsonEqual(found[key], value))
  )
    write(call, found, withFields(found, fields));
}

function bodyOf(apiVersion: string, kind: string, labels: JsonObject): JsonObject {
  return { apiVersion, kind, metadata: { name, namespace, labels } };
}
