/**
 * The cluster client of the commands. Every read is fresh; every write carries the resourceVersion of its decision; a
 * Forbidden error names the missing right.
 */
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import { ClusterApi } from '../../manager/cluster-api.ts';
import type { Clock } from '../../platform/clock.ts';
import { eventOf, events, placeFor } from '../../kube/reconciler/event-object.ts';
import { subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { KubeClient, ListQuery } from '../../kube/client/client.ts';
import type { KubeObject, Place, Resource } from '../../kube/client/kube-object.ts';
import type { Random } from '../../platform/random.ts';
import {
  hostOf,
  hostResource,
  machineOf,
  machineResource,
  type FleetHost,
  type FleetMachine,
} from './fleet-objects.ts';

const pageSize = 500;

interface ClusterParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
}

export type ClusterReport = Pick<EventDraft, 'type' | 'reason' | 'message'>;

export class Cluster {
  readonly #parts: ClusterParts;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  /** For controllers that read by themselves. The commands never run their actions. */
  get client(): KubeClient {
    return this.#parts.client;
  }

  clusterApi(): ClusterApi {
    return new ClusterApi(this.#parts.client, () => this.now());
  }

  now(): number {
    return this.#parts.clock.now();
  }

  async hosts(): Promise<readonly FleetHost[]> {
    return (await this.list(hostResource)).map(hostOf);
  }

  async machines(namespace?: string): Promise<readonly FleetMachine[]> {
    const query = namespace === undefined ? {} : { namespace };
    return (await this.list(machineResource, query)).map(machineOf);
  }

  async list<T extends KubeObject>(resource: Resource<T>, query: ListQuery = {}): Promise<readonly T[]> {
    return explained('list', resource, async () => {
      const all: T[] = [];
      let next = '';
      do {
        const more = next === '' ? {} : { continue: next };
        const page = await this.#parts.client.listPage(resource, { ...query, limit: pageSize, ...more });
        all.push(...page.items);
        next = page.continue;
      } while (next !== '');
      return all;
    });
  }

  async host(id: string): Promise<FleetHost | undefined> {
    const object = await this.find(hostResource, { name: id });
    return object === undefined ? undefined : hostOf(object);
  }

  async machine(namespace: string, name: string): Promise<FleetMachine | undefined> {
    const object = await this.find(machineResource, { namespace, name });
    return object === undefined ? undefined : machineOf(object);
  }

  async find<T extends KubeObject>(resource: Resource<T>, place: Place): Promise<T | undefined> {
    return explained('get', resource, () => this.#parts.client.find(resource, place));
  }

  /** Changes exactly the version that was read; otherwise throws a conflict. */
  async change(resource: Resource, { metadata }: KubeObject, change: Change): Promise<void> {
    const { name, namespace, resourceVersion } = metadata;
    const { subresource, annotations, ...fields } = change;
    const place = {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(subresource !== undefined && { subresource }),
    };
    const merge = {
      metadata: { resourceVersion, ...(annotations !== undefined && { annotations }) },
      ...fields,
    };
    await explained('patch', resource, () => this.#parts.client.patch(resource, place, { merge }));
  }

  /** Deletes exactly the object that was read. An object that is already gone counts as deleted. */
  async remove(resource: Resource, { metadata }: KubeObject): Promise<void> {
    const { name, namespace, uid } = metadata;
    const place = { name, ...(namespace !== undefined && { namespace }) };
    await explained('delete', resource, async () => {
      try {
        await this.#parts.client.delete(resource, place, { uid });
      } catch (error) {
        if (!isFleetError(error, 'gone')) throw error;
      }
    });
  }

  /** Writes an Event about an object, for `kubectl describe` and `muster why`. */
  async report(resource: Resource, object: KubeObject, reported: ClusterReport): Promise<void> {
    const subject = subjectOf(resource, object);
    const place = placeFor(subject, this.#parts.random);
    const times = { count: 1, firstAt: this.now(), lastAt: this.now() };
    const body = eventOf({ subject, ...reported }, { component: 'muster-cli', place, times });
    await explained('create', events, () =>
      this.#parts.client.create(events, { namespace: place.namespace }, body),
    );
  }

  async eventsOf({ metadata }: KubeObject): Promise<readonly KubeObject[]> {
    const namespace = metadata.namespace ?? 'default';
    return this.list(events, { namespace, fieldSelector: `involvedObject.uid=${metadata.uid}` });
  }
}

export interface Change {
  readonly spec?: object;
  readonly status?: object;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly subresource?: string;
}

/** Translates errors of the API server into messages that say what to do. */
async function explained<T>(verb: string, resource: Resource, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isFleetError(error)) throw error;
    const message = explanation(error, verb, resource);
    if (message === undefined) throw error;
    throw new FleetError(error.kind, { reason: error.reason, message }, { cause: error });
  }
}

function explanation(error: FleetError, verb: string, { plural, group }: Resource): string | undefined {
  const resource = group === '' ? plural : `${plural}.${group}`;
  if (error.reason === 'Forbidden')
    return `you may not do this: your role lacks the verb "${verb}" on the resource "${resource}"`;
  if (error.reason === 'Unauthorized')
    return 'the cluster rejected the credentials in the kubeconfig: renew them, or choose another context';
  if (error.kind === 'gone' && verb === 'list')
    return `the cluster does not know ${resource}; are the CRDs of Muster installed? (kubectl apply -f charts/muster/crds)`;
  if (error.reason === 'Unreachable' || error.reason === 'NotKubernetes')
    return `no Kubernetes API answers: ${error.message}; is this the right kubeconfig and context?`;
  return undefined;
}
