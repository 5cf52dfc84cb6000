/** EndpointSlices: defaults and validation. */
import { isIP } from 'node:net';
import { isJsonEqual, type JsonObject } from '../json.ts';
import { textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { nameColumn, shownAge } from '../table/columns.ts';
import { column, text } from './builtin-columns.ts';
import { builtin } from './builtin.ts';
import { required, twice, wrong } from './causes.ts';
import { isLocalAddress } from './endpoints.ts';
import { isLabelName, isSubdomainName } from './names.ts';
import { filled, objectsAt, shown, textsAt, withEach } from './reading.ts';

const addressesMax = 100;
const shownMax = 3;
const families: ReadonlyMap<string, number> = new Map([
  ['IPv4', 4],
  ['IPv6', 6],
]);

function defaults(slice: KubeObject): KubeObject {
  const { ports } = withEach(slice, 'ports', (port) => filled(port, { name: '', protocol: 'TCP' }));
  return ports === undefined ? slice : withFields(slice, { ports });
}

function causes(slice: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const type = textAt(slice, 'addressType') ?? '';
  const moved = old !== undefined && !isJsonEqual(old['addressType'] ?? '', type);
  const isKnown = families.has(type) || type === 'FQDN';
  return [
    ...(type === '' ? [required('addressType')] : []),
    ...(isKnown
      ? objectsAt(slice, 'endpoints').flatMap((one, index) =>
          endpointCauses(one, type, `endpoints[${index}]`),
        )
      : []),
    ...portListCauses(objectsAt(slice, 'ports')),
    ...(moved ? [wrong('addressType', type, 'field is immutable')] : []),
  ];
}

function endpointCauses(endpoint: JsonObject, type: string, at: string): readonly Cause[] {
  const addresses = textsAt(endpoint, 'addresses');
  const [nodeName, hostname] = [textAt(endpoint, 'nodeName'), textAt(endpoint, 'hostname')];
  return [
    ...(addresses.length === 0 ? [required(`${at}.addresses`, 'must contain at least 1 address')] : []),
    ...(addresses.length > addressesMax ? [tooMany(`${at}.addresses`, addressesMax)] : []),
    ...addresses.flatMap((address, index) =>
      addressCauses(address, type, { list: `${at}.addresses`, index }),
    ),
    ...(nodeName !== undefined && !isSubdomainName(nodeName)
      ? [wrong(`${at}.nodeName`, nodeName, 'not the name of a Node')]
      : []),
    ...(hostname !== undefined && !isLabelName(hostname)
      ? [wrong(`${at}.hostname`, hostname, 'not a valid label name')]
      : []),
  ];
}

function tooMany(field: string, max: number): Cause {
  return { field, reason: 'FieldValueTooMany', message: `Too many: must have at most ${max} items` };
}

function addressCauses(
  address: string,
  type: string,
  { list, index }: { readonly list: string; readonly index: number },
): readonly Cause[] {
  const at = `${list}[${index}]`;
  const family = families.get(type);
  if (family === undefined)
    return isSubdomainName(address) ? [] : [wrong(at, address, 'not a valid domain name')];
  if (isIP(address) === 0) return [wrong(at, address, 'must be a valid IP address')];
  return [
    ...(isIP(address) === family ? [] : [wrong(list, address, `must be an ${type} address`)]),
    ...(isLocalAddress(address)
      ? [wrong(at, address, 'may not be in the loopback or link-local range')]
      : []),
  ];
}

function portListCauses(ports: readonly JsonObject[]): readonly Cause[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const name = textAt(port, 'name') ?? '';
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...(isRepeated ? [twice(`ports[${index}].name`, name)] : []),
      ...(name !== '' && !isLabelName(name)
        ? [wrong(`ports[${index}].name`, name, 'not a valid label name')]
        : []),
    ];
  });
}

/** The first few, and the number of the rest. */
function some(all: readonly string[]): string {
  const left = all.length - shownMax;
  const first = all.slice(0, shownMax).join(',');
  return left > 0 ? `${first} + ${left} more...` : first;
}

function portsText(slice: KubeObject): string {
  const ports = objectsAt(slice, 'ports');
  return some(ports.map(({ port }) => shown(port) || '*')) || '<unset>';
}

function endpointsText(slice: KubeObject): string {
  return some(objectsAt(slice, 'endpoints').flatMap((one) => textsAt(one, 'addresses'))) || '<unset>';
}

export const endpointSlices = builtin({
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  group: 'discovery.k8s.io',
  countsGenerations: 'labels-too',
  columns: [
    nameColumn,
    text('AddressType', 'addressType'),
    column('Ports', portsText),
    column('Endpoints', endpointsText),
    shownAge,
  ],
  complete: defaults,
  validate: causes,
});
