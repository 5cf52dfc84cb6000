/** The draft of a Kubernetes Event. Building one has no side effects. */
import { dispose } from '../../platform/errors/dispose.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../client/kube-object.ts';
import type { Report } from './plan.ts';

export interface EventDraft {
  readonly subject: Subject;
  readonly type: 'Normal' | 'Warning';
  /** One word in PascalCase, the same as in conditions, notes and metrics. */
  readonly reason: string;
  /** A sentence without a secret and without values that change: each new text is another Event. */
  readonly message: string;
}

/** The object of the Event. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

export function subjectOf(resource: Resource, { metadata }: KubeObject): Subject {
  const { namespace, name, uid } = metadata;
  const place = { ...(namespace !== undefined && { namespace }), name, uid };
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...place };
}

/** Events for the failures of a reconcile, by kind. */
export function failuresIn<Action>(subject: Subject, { results }: Report<Action>): readonly EventDraft[] {
  return results.flatMap(({ outcome }) => {
    if (!isFleetError(outcome)) return [];
    const type = dispose(outcome.kind).event;
    return type === 'none' ? [] : [{ subject, type, reason: outcome.reason, message: outcome.message }];
  });
}
