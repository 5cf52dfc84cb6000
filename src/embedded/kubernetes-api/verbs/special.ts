/** Requests that neither read nor write objects: reviews, and actions on subresources. */
import { withFields, type KubeObject } from '../kube-object.ts';
import type { JsonObject } from '../json.ts';
import { bindingKind, evictionKind, tokenRequestKind } from '../registry/action-kinds.ts';
import { storageName, type Resource } from '../registry/resource.ts';
import { selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview } from './access-reviews.ts';
import type { Call } from './call.ts';
import { decodeWrite } from './decode.ts';
import { bindPod, evictPod, refuseOtherPod } from './pod-actions.ts';
import { requestToken } from './token-request.ts';
import { selfSubjectReview, tokenReview } from './token-reviews.ts';

/** Computes the status of a review. */
type Review = (call: Call, question: KubeObject) => JsonObject;

const reviews: ReadonlyMap<string, Review> = new Map([
  ['selfsubjectaccessreviews.authorization.k8s.io', selfSubjectAccessReview],
  ['subjectaccessreviews.authorization.k8s.io', subjectAccessReview],
  ['localsubjectaccessreviews.authorization.k8s.io', subjectAccessReview],
  ['selfsubjectrulesreviews.authorization.k8s.io', selfSubjectRulesReview],
  ['tokenreviews.authentication.k8s.io', tokenReview],
  ['selfsubjectreviews.authentication.k8s.io', selfSubjectReview],
]);

interface Action {
  /** The kind of the body. */
  readonly kind: Resource;
  run(call: Call, body: KubeObject): JsonObject;
}

const actions: ReadonlyMap<string, Action> = new Map([
  ['serviceaccounts/token', { kind: tokenRequestKind, run: requestToken }],
  ['pods/eviction', { kind: evictionKind, run: onThatPod(evictPod) }],
  ['pods/binding', { kind: bindingKind, run: onThatPod(bindPod) }],
]);

/** The answer to a review or action; undefined for an ordinary create. */
export function specialPost(call: Call): JsonObject | undefined {
  const review = call.name === undefined ? reviews.get(storageName(call.resource)) : undefined;
  if (review !== undefined) {
    const question = decodeWrite(call, call.body);
    return withFields(question, { status: review(call, question) });
  }
  const action = actions.get(`${storageName(call.resource)}/${call.subresource ?? ''}`);
  if (action === undefined) return undefined;
  return action.run(call, decodeWrite({ ...call, resource: action.kind }, call.body));
}

/** Action paths support POST only. */
export function isActionPath(call: Pick<Call, 'resource' | 'subresource'>): boolean {
  return actions.has(`${storageName(call.resource)}/${call.subresource ?? ''}`);
}

function onThatPod(run: Action['run']): Action['run'] {
  return (call, body) => {
    refuseOtherPod(call, body);
    return run(call, body);
  };
}
