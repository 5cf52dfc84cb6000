/** TokenReview and SelfSubjectReview. */
import type { Identity } from '../auth/identity.ts';
import { textsIn } from '../auth/policy-rule.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { textAt, type KubeObject } from '../kube-object.ts';
import { badRequest } from '../status-error.ts';
import type { Call } from './call.ts';

export function tokenReview(call: Call, review: KubeObject): JsonObject {
  const spec = isJsonObject(review['spec']) ? review['spec'] : {};
  const token = textAt(spec, 'token') ?? '';
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const audiences = textsIn(spec['audiences']);
  const known =
    audiences.length === 0 ? call.tokens.authenticate(token) : call.tokens.authenticate(token, audiences);
  if (known === undefined) return { user: {}, error: 'the token is not valid' };
  return { authenticated: true, user: userInfo(known.identity), audiences: [...known.audiences] };
}

export function selfSubjectReview(call: Call): JsonObject {
  return { userInfo: userInfo(call.identity) };
}

function userInfo({ user, uid, groups, extra }: Identity): JsonObject {
  return {
    username: user,
    ...(uid !== undefined && { uid }),
    groups: [...groups],
    ...(extra !== undefined && { extra }),
  };
}
