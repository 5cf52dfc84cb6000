/** The sample controller: observe from the cache and the shelf, plan, verify, act, and write the status. */
import { dropFinalizer, ensureFinalizer } from '../../../../src/kube/reconciler/finalizers.ts';
import type { Controller } from '../../../../src/kube/reconciler/reconciler.ts';
import { freshRead } from '../../../../src/kube/reconciler/fresh-read.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../../../src/kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../../../src/kube/reconciler/plan.ts';
import type { KubeClient } from '../../../../src/kube/client/client.ts';
import type { Resource } from '../../../../src/kube/client/kube-object.ts';
import { keyOf } from '../../../../src/kube/client/kube-object.ts';
import { finalizer, plan, wantedIn, type Action, type ConfigMap, type Observed } from './plan.ts';
import type { ShelfClient } from './shelf-client.ts';

export const configMaps: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
/** The last observed content of the box, written on the ConfigMap. */
export const shownAnnotation = 'sample.muster.dev/shown';

export interface SamplePorts {
  readonly client: KubeClient;
  readonly shelf: Pick<ShelfClient, 'list' | 'read' | 'put' | 'wipe' | 'drop'>;
  readonly find: (key: string) => ConfigMap | undefined;
  readonly now: () => number;
  /** Returns true while this replica leads: checked before an action that takes time. */
  readonly mayAct: () => boolean;
  /** The mistake to make. */
  readonly bug: string | undefined;
}

export class SampleController implements Controller<Observed, Action> {
  readonly name = 'sample';
  readonly plan = plan;
  readonly #ports: SamplePorts;

  constructor(ports: SamplePorts) {
    this.#ports = ports;
  }

  async observe(key: string): Promise<Observed | undefined> {
    const object = this.#ports.find(key);
    if (object === undefined) return undefined;
    const box = await this.#ports.shelf.read(object.metadata.uid);
    return { now: this.#ports.now(), object, box };
  }

  async act(action: Action, { object }: Observed): Promise<ActionResult> {
    const current = await this.#prove(object);
    if (current === undefined || !isDue(action, current)) return 'precondition-lost';
    if (!this.#ports.mayAct()) return 'precondition-lost';
    switch (action.kind) {
      case 'add-finalizer':
        return this.#hold(current);
      case 'fill':
        return this.#fill(current, action.content);
      case 'wipe':
        return this.#wipe(current.metadata.uid);
      case 'drop':
        await this.#ports.shelf.drop(current.metadata.uid);
        return 'requested';
      case 'remove-finalizer':
        await dropFinalizer(this.#ports.client, { resource: configMaps, object: current }, finalizer);
        return 'requested';
    }
  }

  /** Shows only what was observed in the box, never what was put there. */
  async status({ object, box }: Observed): Promise<void> {
    const { annotations = {}, deletionTimestamp, resourceVersion } = object.metadata;
    const shown = box?.content;
    if (deletionTimestamp !== undefined || shown === undefined || shown !== wantedIn(object)) return;
    if (annotations[shownAnnotation] === shown) return;
    const metadata = { resourceVersion, annotations: { [shownAnnotation]: shown } };
    await this.#ports.client.patch(configMaps, placeOf(object), { merge: { metadata } });
  }

  events({ object }: Observed, report: Report<Action>): readonly EventDraft[] {
    const subject = subjectOf(configMaps, object);
    const done = report.results.flatMap(({ action, outcome }) =>
      outcome === 'requested' ? [action.kind] : [],
    );
    return [
      ...done.map((kind) => ({ subject, type: 'Normal' as const, ...reported[kind] })),
      ...failuresIn(subject, report),
    ];
  }

  /** Returns the object as stored now, if it is still the planned one. */
  async #prove(object: ConfigMap): Promise<ConfigMap | undefined> {
    if (this.#ports.bug === 'stale-cache-trusted') return object;
    const { object: current } = await freshRead(this.#ports.client, configMaps, placeOf(object));
    return current?.metadata.uid === object.metadata.uid ? current : undefined;
  }

  async #hold(object: ConfigMap): Promise<ActionResult> {
    const { client, shelf, bug } = this.#ports;
    if (bug === 'no-finalizer-first') await shelf.put(object.metadata.uid, keyOf(object), wantedIn(object));
    await ensureFinalizer(client, { resource: configMaps, object }, finalizer);
    return 'requested';
  }

  async #fill(object: ConfigMap, content: string): Promise<ActionResult> {
    const { shelf, bug, client } = this.#ports;
    const filling = shelf.put(object.metadata.uid, keyOf(object), content);
    if (bug !== 'swallowed-error') {
      await filling;
      return 'requested';
    }
    // The mistake: the failure is ignored, and the action is reported as done.
    await Promise.allSettled([filling]);
    const metadata = { annotations: { [shownAnnotation]: content } };
    await client.patch(configMaps, placeOf(object), { merge: { metadata } });
    return 'requested';
  }

  async #wipe(box: string): Promise<ActionResult> {
    const { shelf, bug } = this.#ports;
    if (bug === 'drop-before-wipe') await shelf.drop(box);
    await shelf.wipe(box);
    return 'requested';
  }
}

/** The Event of an action that was carried out. */
const reported: Readonly<Record<Action['kind'], Pick<EventDraft, 'reason' | 'message'>>> = {
  'add-finalizer': { reason: 'Held', message: 'it got its finalizer, before anything is put into its box' },
  fill: { reason: 'Filled', message: 'its text was put into its box' },
  wipe: { reason: 'Wiped', message: 'its box was wiped' },
  drop: {
    reason: 'Dropped',
    message: 'nothing was on its way to its box any more, and it was taken off the list',
  },
  'remove-finalizer': { reason: 'FinalizerRemoved', message: 'its finalizer was taken away' },
};

/** Whether the premise of an action still holds. */
function isDue({ kind }: Action, { metadata }: ConfigMap): boolean {
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const isHeld = metadata.finalizers?.includes(finalizer) === true;
  if (kind === 'add-finalizer') return !isDeleting;
  return isHeld && isDeleting === (kind !== 'fill');
}

function placeOf({ metadata }: ConfigMap) {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}
