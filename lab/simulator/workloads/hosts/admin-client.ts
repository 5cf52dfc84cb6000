/** How people read and write the Kubernetes API: past all faults, from their own intent instead of the stored state. */
import { ownIdentity as identity } from '../../../../src/embedded/kubernetes-api/auth/identity.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { World } from '../../world/world.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const machinesPath =
  '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default/scalewayapplesiliconmachines';
const hostsPath = '/apis/muster.dev/v1alpha1/machosts';
const coreApi = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default';

export class AdminClient {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  machine(name: string): JsonObject | undefined {
    return this.#ask('GET', `${machinesPath}/${name}`);
  }

  hosts(): readonly JsonObject[] {
    const items = this.#ask('GET', hostsPath)?.['items'];
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  }

  createMachine(body: Json): void {
    this.#ask('POST', machinesPath, body);
  }

  deleteMachine(name: string): void {
    this.#ask('DELETE', `${machinesPath}/${name}`);
  }

  patchMachine(name: string, patch: Json): void {
    this.#ask('PATCH', `${machinesPath}/${name}`, patch);
  }

  patchMachineStatus(name: string, patch: Json): void {
    this.#ask('PATCH', `${machinesPath}/${name}/status`, patch);
  }

  deleteHost(id: string): void {
    this.#ask('DELETE', `${hostsPath}/${id}`);
  }

  patchHost(id: string, patch: Json): void {
    this.#ask('PATCH', `${hostsPath}/${id}`, patch);
  }

  createHost(body: Json): void {
    this.#ask('POST', hostsPath, body);
  }

  patchHostStatus(id: string, patch: Json): void {
    this.#ask('PATCH', `${hostsPath}/${id}/status`, patch);
  }

  /** A Machine of Cluster API, by name; `undefined` until the API serves that kind. */
  ownerMachine(name: string): JsonObject | undefined {
    return this.#ask('GET', `${coreApi}/machines/${name}`);
  }

  createOwnerMachine(body: Json): void {
    this.#ask('POST', `${coreApi}/machines`, body);
  }

  createCluster(body: Json): void {
    this.#ask('POST', `${coreApi}/clusters`, body);
  }

  patchCluster(name: string, patch: Json, subresource: '' | '/status' = ''): void {
    this.#ask('PATCH', `${coreApi}/clusters/${name}${subresource}`, patch);
  }

  /** Returns undefined when the API refused the request. */
  #ask(method: Method, path: string, body?: Json): JsonObject | undefined {
    const type = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    const answer = this.#world.kube.server.handle({ identity, method, path, query: {}, body, ...type });
    const isDone = 'status' in answer && answer.status < 300;
    const what = `${method} ${path.split('/').slice(-1).join('')}`;
    if (method !== 'GET' && isDone) this.#world.report({ who: 'people', what, outcome: 'ok' });
    return isDone ? answer.body : undefined;
  }
}
