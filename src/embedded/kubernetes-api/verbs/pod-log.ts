/** The log of a container: builds the request to the kubelet of the Pod's Node. */
import { textAt, type KubeObject } from '../kube-object.ts';
import { objectAt, objectsAt, shown } from '../registry/reading.ts';
import type { Relay } from '../request.ts';
import { badRequest } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { nameIn, notFound, type Call } from './call.ts';

const defaultPort = 10250;
const portMax = 65_535;
/** The preferred address types of a Node. */
const addressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const containerLists = ['containers', 'initContainers', 'ephemeralContainers'];
/** The query options that are passed to the kubelet. */
const options = ['follow', 'previous', 'sinceSeconds', 'sinceTime', 'timestamps', 'tailLines', 'limitBytes'];

/** Undefined for an unscheduled Pod, which has no log. */
export function podLog(call: Call): Relay | undefined {
  const name = nameIn(call);
  const pod = call.store.get('pods', keyOf(call.namespace, name));
  if (pod === undefined) throw notFound(call.resource, name);
  const container = containerIn(pod, call.query['container'] ?? '');
  const nodeName = textAt(objectAt(pod, 'spec'), 'nodeName') ?? '';
  if (nodeName === '') return undefined;
  const node = call.store.get('nodes', keyOf('', nodeName));
  if (node === undefined) throw notFound({ group: '', plural: 'nodes' }, nodeName);
  const asked = options.flatMap((option) => {
    const value = call.query[option];
    return value === undefined ? [] : [[option, value] as const];
  });
  const path = ['', 'containerLogs', call.namespace, name, container].map(encodeURIComponent).join('/');
  return { ...kubeletOf(node), path, query: Object.fromEntries(asked) };
}

function containerIn(pod: KubeObject, asked: string): string {
  const spec = objectAt(pod, 'spec');
  const namesIn = (list: string): readonly string[] => objectsAt(spec, list).map((one) => shown(one['name']));
  const names = containerLists.flatMap(namesIn);
  const [only = '', ...others] = namesIn('containers');
  if (asked === '' && others.length === 0) return only;
  if (asked === '')
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
    );
  if (!names.includes(asked))
    throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
  return asked;
}

function kubeletOf(node: KubeObject): Pick<Relay, 'host' | 'port'> {
  const status = objectAt(node, 'status');
  const addresses = objectsAt(status, 'addresses');
  const known = addressTypes.flatMap((type) => addresses.filter((one) => one['type'] === type));
  const host = shown(known[0]?.['address']);
  if (host === '') throw badRequest(`node ${node.metadata.name} has no address under which it can be asked`);
  const { Port: port } = objectAt(objectAt(status, 'daemonEndpoints'), 'kubeletEndpoint');
  if (typeof port !== 'number' || port === 0) return { host, port: defaultPort };
  if (port < 0 || port > portMax)
    throw badRequest(`node ${node.metadata.name} names a port that no machine has`);
  return { host, port };
}
