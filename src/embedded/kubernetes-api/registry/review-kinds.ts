/** Reviews: created, never stored; the answer is in the status. */
import type { JsonSchema } from '../schema/structural-schema.ts';
import { builtin } from './builtin.ts';
import type { Resource } from './resource.ts';

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };
const anything: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const extra: JsonSchema = { type: 'object', additionalProperties: texts };

const questions: Readonly<Record<string, JsonSchema>> = {
  resourceAttributes: fields({
    namespace: text,
    verb: text,
    group: text,
    version: text,
    resource: text,
    subresource: text,
    name: text,
    fieldSelector: anything,
    labelSelector: anything,
  }),
  nonResourceAttributes: fields({ path: text, verb: text }),
};
const subject: Readonly<Record<string, JsonSchema>> = { user: text, groups: texts, uid: text, extra };

function fields(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties };
}

function review(kind: string, group: string, spec: JsonSchema | undefined): Resource {
  return builtin({
    plural: `${kind.toLowerCase()}s`,
    kind,
    group,
    namespaced: kind.startsWith('Local'),
    verbs: ['create'],
    schema: {
      type: 'object',
      properties: {
        apiVersion: text,
        kind: text,
        metadata: { type: 'object' },
        status: anything,
        ...(spec !== undefined && { spec }),
      },
    },
  });
}

const authorization = 'authorization.k8s.io';
const authentication = 'authentication.k8s.io';

export const reviewKinds: readonly Resource[] = [
  review('SelfSubjectAccessReview', authorization, fields(questions)),
  review('SubjectAccessReview', authorization, fields({ ...questions, ...subject })),
  review('LocalSubjectAccessReview', authorization, fields({ ...questions, ...subject })),
  review('SelfSubjectRulesReview', authorization, fields({ namespace: text })),
  review('TokenReview', authentication, fields({ token: text, audiences: texts })),
  review('SelfSubjectReview', authentication, undefined),
];
