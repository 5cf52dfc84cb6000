/** Endpoints: defaults and validation. */
import { isIP } from 'node:net';
import type { JsonObject } from '../json.ts';
import { textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { portCauses, required, wrong } from './causes.ts';
import { filled, objectsAt, withEach } from './reading.ts';

/** Machine-local addresses. */
const local = /^(?:127\.|169\.254\.|0\.0\.0\.0$|::1?$|fe80:)/i;

export function isLocalAddress(address: string): boolean {
  return local.test(address);
}

export function endpointsDefaults(endpoints: KubeObject): KubeObject {
  const { subsets } = withEach(endpoints, 'subsets', (subset) =>
    withEach(subset, 'ports', (port) => filled(port, { protocol: 'TCP' })),
  );
  return subsets === undefined ? endpoints : withFields(endpoints, { subsets });
}

export function endpointsCauses(endpoints: KubeObject): readonly Cause[] {
  return objectsAt(endpoints, 'subsets').flatMap((subset, index) =>
    subsetCauses(subset, `subsets[${index}]`),
  );
}

function subsetCauses(subset: JsonObject, at: string): readonly Cause[] {
  const lists = ['addresses', 'notReadyAddresses'];
  const ports = objectsAt(subset, 'ports');
  return [
    ...(lists.every((list) => objectsAt(subset, list).length === 0) ? [required(at, 'addresses')] : []),
    ...lists.flatMap((list) =>
      objectsAt(subset, list).flatMap((one, index) => addressCauses(one, `${at}.${list}[${index}].ip`)),
    ),
    ...ports.flatMap((port, index) => [
      ...(ports.length > 1 && (textAt(port, 'name') ?? '') === ''
        ? [required(`${at}.ports[${index}].name`)]
        : []),
      ...portCauses(`${at}.ports[${index}].port`, port['port']),
    ]),
  ];
}

function addressCauses(address: JsonObject, field: string): readonly Cause[] {
  const ip = textAt(address, 'ip') ?? '';
  if (isIP(ip) === 0) return [wrong(field, ip, 'must be a valid IP address')];
  return isLocalAddress(ip) ? [wrong(field, ip, 'may not be in the loopback or link-local range')] : [];
}
