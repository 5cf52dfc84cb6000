/**
 * The simulated cloud of `muster up` starts anew each time, so objects of an earlier start name servers that no longer
 * exist. Before the start, the demo fleet and all MacHosts are deleted; all other objects belong to a person and stay.
 */
import { labels } from '../../src/api/names/labels.ts';
import { ownIdentity as identity } from '../../src/embedded/kubernetes-api/auth/identity.ts';
import { isJsonList, isJsonObject, type Json } from '../../src/embedded/kubernetes-api/json.ts';
import type { ApiRequest } from '../../src/embedded/kubernetes-api/request.ts';
import type { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { macHosts, machines as infraMachines } from '../../src/hosts/state/objects.ts';
import { runnerPools } from '../../src/runner-pools/state/runner-pool-objects.ts';
import { nodes, pods, serviceAccounts } from '../../src/kube/client/builtin-resources.ts';
import { pathOf } from '../../src/kube/client/kube-object.ts';
import { clusters, machineDeployments, machines, machineSets } from '../clouds/cluster-api/kinds.ts';
import { demoNamespace, demoNodeLabel } from './demo-objects.ts';

/** Owners before their dependents, and machines before hosts; no controller runs yet. */
const kindsOfDemo = [clusters, machineDeployments, machineSets, machines, infraMachines, runnerPools];
const kindsOfRunners = [pods, serviceAccounts];

const ofRunners = labels.runnerPool.key;

export function clearLeftovers(server: ApiServer): void {
  for (const kind of kindsOfDemo) clear(server, pathOf(kind, { namespace: demoNamespace }));
  for (const kind of kindsOfRunners)
    clear(server, pathOf(kind, { namespace: demoNamespace }), { labelSelector: ofRunners });
  clear(server, pathOf(nodes, {}), { labelSelector: demoNodeLabel });
  clear(server, pathOf(macHosts, {}));
}

function clear(server: ApiServer, path: string, query: Readonly<Record<string, string>> = {}): void {
  const patch = { contentType: 'application/merge-patch+json', body: { metadata: { finalizers: null } } };
  for (const name of namesIn(ask(server, { method: 'GET', path, query }))) {
    ask(server, { method: 'PATCH', path: `${path}/${name}`, query: {}, ...patch });
    // No kubelet is left to end the processes of a Pod and then remove the Pod.
    ask(server, { method: 'DELETE', path: `${path}/${name}`, query: { gracePeriodSeconds: '0' } });
  }
}

/** A kind that is not installed yet has no objects. */
function ask(server: ApiServer, request: Omit<ApiRequest, 'identity'>): Json {
  const answer = server.handle({ identity, ...request });
  return 'status' in answer ? answer.body : null;
}

function namesIn(list: Json): readonly string[] {
  const items = isJsonObject(list) ? list['items'] : undefined;
  return (isJsonList(items) ? items : []).flatMap((item) => {
    const metadata = isJsonObject(item) ? item['metadata'] : undefined;
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}
