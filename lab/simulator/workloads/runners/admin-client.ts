/** How people write to the Kubernetes API of the runners: past all faults, from their own intent. */
import { managerAudience } from '../../../../src/api/names/audiences.ts';
import { ownIdentity as identity } from '../../../../src/embedded/kubernetes-api/auth/identity.ts';
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import { fieldsOf } from '../../../../src/kube/client/fields.ts';
import type { World } from '../../world/world.ts';
import { jsonFieldsOf, runnersNamespace } from './runner-truth.ts';

const poolsPath = `/apis/tuist.dev/v1alpha1/namespaces/${runnersNamespace}/runnerpools`;
const podsPath = `/api/v1/namespaces/${runnersNamespace}/pods`;

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export class RunnerAdminClient {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  openNamespace(): void {
    this.#ask('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: runnersNamespace },
    });
  }

  openAccount({ namespace, name }: AccountName): void {
    this.#ask('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
  }

  /** As the kubelet would mount it. */
  tokenOf({ namespace, name }: AccountName): string {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 3600, audiences: [managerAudience] },
    };
    const answer = this.#world.kube.server.handle({ identity, method: 'POST', path, query: {}, body });
    const { token } = fieldsOf(fieldsOf('body' in answer ? answer.body : {})['status']);
    return typeof token === 'string' ? token : '';
  }

  createPool(name: string, spec: Json): void {
    this.#ask('POST', poolsPath, {
      apiVersion: 'tuist.dev/v1alpha1',
      kind: 'RunnerPool',
      metadata: { name, namespace: runnersNamespace },
      spec,
    });
  }

  scale(pool: string, replicas: number): void {
    this.#ask('PATCH', `${poolsPath}/${pool}`, { spec: { replicas } });
  }

  setImage(pool: string, image: string): void {
    this.#ask('PATCH', `${poolsPath}/${pool}`, { spec: { image } });
  }

  labelPod(name: string, marks: Json): void {
    this.#ask('PATCH', `${podsPath}/${name}`, { metadata: { labels: marks } });
  }

  deletePod(name: string, graceSeconds: number | undefined): void {
    const body = graceSeconds === undefined ? undefined : { gracePeriodSeconds: graceSeconds };
    this.#ask('DELETE', `${podsPath}/${name}`, body);
  }

  /** Creates another Pod with the same name and spec, at the same instant. */
  replacePod(name: string): void {
    const path = `${podsPath}/${name}`;
    const answer = this.#world.kube.server.handle({ identity, method: 'GET', path, query: {} });
    const { metadata, spec } = jsonFieldsOf('body' in answer ? answer.body : {});
    const { labels, annotations, ownerReferences } = jsonFieldsOf(metadata);
    const { nodeName: _, ...rest } = jsonFieldsOf(spec);
    this.deletePod(name, 0);
    const kept = Object.entries({ labels, annotations, ownerReferences }).filter(isThere);
    this.#ask('POST', podsPath, { metadata: { name, ...Object.fromEntries(kept) }, spec: rest });
  }

  cordon(node: string, unschedulable: boolean): void {
    this.#ask('PATCH', `/api/v1/nodes/${node}`, { spec: { unschedulable } });
  }

  #ask(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: Json): void {
    const type = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    const answer = this.#world.kube.server.handle({ identity, method, path, query: {}, body, ...type });
    const isDone = 'status' in answer && answer.status < 300;
    const what = `${method} ${path.split('/').slice(-1).join('')}`;
    this.#world.report({ who: 'people', what, outcome: isDone ? 'ok' : 'refused' });
  }
}

function isThere(field: readonly [string, Json | undefined]): field is readonly [string, Json] {
  return field[1] !== undefined;
}
