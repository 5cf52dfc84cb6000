/** The columns of Services and Endpoints. */
import type { JsonObject } from '../json.ts';
import { textAt, type KubeObject } from '../kube-object.ts';
import { nameColumn, shownAge, type Column } from '../table/columns.ts';
import { column, none, text, textIn, wide } from './builtin-columns.ts';
import { selectorText } from './deployment.ts';
import { valueAt } from './field-path.ts';
import { objectAt, objectsAt, textsAt, shown } from './reading.ts';

const endpointsMax = 3;
const externalMax = 16;

export const serviceColumns: readonly Column[] = [
  nameColumn,
  text('Type', 'spec.type'),
  column('Cluster-IP', (service) => textIn(service, 'spec.clusterIP') || none),
  column('External-IP', externalAddress),
  column('Port(s)', (service) => portsText(objectsAt(objectAt(service, 'spec'), 'ports')) || none),
  shownAge,
  wide(
    column('Selector', (one) => selectorText({ matchLabels: valueAt(one, 'spec.selector') ?? {} }) || none),
  ),
];

export const endpointsColumns: readonly Column[] = [nameColumn, column('Endpoints', endpointsText), shownAge];

function externalAddress(service: KubeObject): string {
  const spec = objectAt(service, 'spec');
  const fixed = textsAt(spec, 'externalIPs');
  if (spec['type'] === 'ExternalName') return textIn(service, 'spec.externalName');
  if (spec['type'] !== 'LoadBalancer') return fixed.join(',') || none;
  const balanced = objectsAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress').map(
    (one) => textAt(one, 'ip') ?? textAt(one, 'hostname') ?? '',
  );
  const all = balanced.join(',');
  const short = all.length > externalMax ? `${all.slice(0, externalMax - 3)}...` : all;
  return [short, ...fixed].filter((one) => one !== '').join(',') || '<pending>';
}

function portsText(ports: readonly JsonObject[]): string {
  return ports
    .map(({ port, nodePort, protocol }) =>
      nodePort === undefined
        ? `${shown(port)}/${shown(protocol)}`
        : `${shown(port)}:${shown(nodePort)}/${shown(protocol)}`,
    )
    .join(',');
}

/** The first few, and the number of the rest. */
function endpointsText(endpoints: KubeObject): string {
  const all = objectsAt(endpoints, 'subsets').flatMap((subset) => {
    const ports = objectsAt(subset, 'ports');
    const addresses = objectsAt(subset, 'addresses').map(({ ip }) => hostOf(shown(ip)));
    if (ports.length === 0) return addresses;
    return ports.flatMap(({ port }) => addresses.map((address) => `${address}:${shown(port)}`));
  });
  const some = all.slice(0, endpointsMax).join(',');
  const left = all.length - endpointsMax;
  return left > 0 ? `${some} + ${left} more...` : some || none;
}

function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
