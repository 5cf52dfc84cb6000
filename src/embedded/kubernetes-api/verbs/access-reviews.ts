/** Access reviews, answered by the authorizer of requests. */
import type { Attributes } from '../auth/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { textsIn, type PolicyRule } from '../auth/policy-rule.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textAt, type KubeObject } from '../kube-object.ts';
import { badRequest, invalid, type Cause } from '../status-error.ts';
import { kindSubject, type Call } from './call.ts';

export function selfSubjectAccessReview(call: Call, review: KubeObject): JsonObject {
  return verdict(call, call.identity, questionIn(call, review, []));
}

export function subjectAccessReview(call: Call, review: KubeObject): JsonObject {
  const spec = fieldsOf(review['spec']);
  const user = textAt(spec, 'user') ?? '';
  const groups = textsIn(spec['groups']);
  const nobody: readonly Cause[] =
    user === '' && groups.length === 0
      ? [
          {
            field: 'spec.user',
            reason: 'FieldValueInvalid',
            message: 'at least one of user or group must be specified',
          },
        ]
      : [];
  const asked = questionIn(call, review, nobody);
  const elsewhere = otherNamespaceCauses(call, asked);
  if (elsewhere.length > 0) throw invalid(kindSubject(call.resource, ''), elsewhere);
  return verdict(call, { user, groups }, asked);
}

/** A local review covers only its own namespace. */
function otherNamespaceCauses(call: Call, asked: Attributes): readonly Cause[] {
  const named = 'namespace' in asked ? asked.namespace : '';
  if (!call.resource.namespaced || named === call.namespace) return [];
  const message = 'Invalid value: must be the namespace of the request';
  return [{ field: 'spec.resourceAttributes.namespace', reason: 'FieldValueInvalid', message }];
}

export function selfSubjectRulesReview(call: Call, review: KubeObject): JsonObject {
  const namespace = textAt(fieldsOf(review['spec']), 'namespace') ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = call.rbac.rulesFor(call.identity, namespace);
  return {
    resourceRules: rules.filter((rule) => rule.resources.length > 0).map(resourceRule),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject {
  return { verbs, apiGroups, resources, ...(resourceNames.length > 0 && { resourceNames }) };
}

function verdict(call: Call, identity: Identity, asked: Attributes): JsonObject {
  const reason = call.rbac.grantOf(identity, asked);
  return reason === undefined ? { allowed: false } : { allowed: true, reason: `RBAC: allowed by ${reason}` };
}

function questionIn(call: Call, review: KubeObject, others: readonly Cause[]): Attributes {
  const spec = fieldsOf(review['spec']);
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const causes = [...others, ...oneOfCauses(isJsonObject(resource), isJsonObject(path))];
  if (causes.length > 0) throw invalid(kindSubject(call.resource, review.metadata.name), causes);
  if (isJsonObject(path)) return { verb: textAt(path, 'verb') ?? '', path: textAt(path, 'path') ?? '' };
  const fields = fieldsOf(resource);
  const text = (key: string): string => textAt(fields, key) ?? '';
  return {
    verb: text('verb'),
    group: text('group'),
    version: text('version'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  };
}

function oneOfCauses(hasResource: boolean, hasPath: boolean): readonly Cause[] {
  if (hasResource !== hasPath) return [];
  const message = hasResource
    ? 'cannot be specified in combination with resourceAttributes'
    : 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const field = hasResource ? 'spec.nonResourceAttributes' : 'spec.resourceAttributes';
  return [{ field, reason: 'FieldValueInvalid', message: `Invalid value: ${message}` }];
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
