/** Users with their own permissions: creates their roles, and waits until the server applies the roles. */
import { expect } from 'vitest';
import type { Context } from './case.ts';
import type { Resource } from './collection.ts';
import { objectIn } from './kube-object.ts';
import type { Request, Response, Target } from './target.ts';
import { untilAnswer } from './until.ts';

const group = 'rbac.authorization.k8s.io';

export const rbacResources = {
  roles: { group, version: 'v1', plural: 'roles', kind: 'Role', scope: 'Namespaced' },
  roleBindings: { group, version: 'v1', plural: 'rolebindings', kind: 'RoleBinding', scope: 'Namespaced' },
  clusterRoles: { group, version: 'v1', plural: 'clusterroles', kind: 'ClusterRole', scope: 'Cluster' },
  clusterRoleBindings: {
    group,
    version: 'v1',
    plural: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    scope: 'Cluster',
  },
} satisfies Readonly<Record<string, Resource>>;

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Persona {
  readonly user: string;
  ask(request: Request): Promise<Response>;
}

export function persona({ target }: Pick<Context, 'target'>, user: string): Persona {
  return { user, ask: (request) => target.request({ ...request, as: { user } }) };
}

export function subjectOf(user: string): unknown {
  return { kind: 'User', apiGroup: group, name: user };
}

export function roleRef(kind: 'Role' | 'ClusterRole', name: string): unknown {
  return { kind, apiGroup: group, name };
}

/** A user with these rules in the namespace of the case, and otherwise only the permissions of every user. */
export async function holder(context: Context, name: string, rules: readonly Rule[]): Promise<Persona> {
  const { namespace, suffix, of } = context;
  const user = `${name}-${suffix}`;
  const roles = of(rbacResources.roles);
  const bindings = of(rbacResources.roleBindings);
  objectIn(await roles.post(roles.draft(name, { rules })), 201);
  const bound = { roleRef: roleRef('Role', name), subjects: [subjectOf(user)] };
  objectIn(await bindings.post(bindings.draft(name, bound)), 201);
  await untilHeld(context.target, { user, namespace }, rules);
  return persona(context, user);
}

/** The same, cluster-wide. */
export async function clusterHolder(
  context: Context,
  name: string,
  rules: readonly Rule[],
): Promise<Persona> {
  const user = `${name}-${context.suffix}`;
  const roles = context.of(rbacResources.clusterRoles);
  const bindings = context.of(rbacResources.clusterRoleBindings);
  objectIn(await roles.post(roles.draft(user, { rules })), 201);
  const bound = { roleRef: roleRef('ClusterRole', user), subjects: [subjectOf(user)] };
  objectIn(await bindings.post(bindings.draft(user, bound)), 201);
  await untilHeld(context.target, { user, namespace: '' }, rules);
  return persona(context, user);
}

interface Place {
  readonly user: string;
  readonly namespace: string;
}

async function untilHeld(target: Target, place: Place, rules: readonly Rule[]): Promise<void> {
  for (const rule of rules) {
    const attributes = attributesIn(rule, place.namespace);
    await untilAnswer(() => review(target, { user: place.user, ...attributes }), isAllowed);
  }
}

function attributesIn(rule: Rule, namespace: string): object {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  const [verb] = verbs;
  const [path] = nonResourceURLs;
  if (path !== undefined) return { nonResourceAttributes: { path, verb } };
  const [resource = '', subresource = ''] = (resources[0] ?? '').split('/');
  const [name = ''] = resourceNames;
  return { resourceAttributes: { namespace, verb, group: apiGroups[0], resource, subresource, name } };
}

/** Returns the answer to a SubjectAccessReview. */
export async function review(target: Target, spec: object): Promise<Response> {
  return target.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
  });
}

export function isAllowed({ status, body }: Response): boolean {
  expect(status, JSON.stringify(body)).toBe(201);
  const verdict = typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined;
  return typeof verdict === 'object' && verdict !== null && 'allowed' in verdict && verdict.allowed === true;
}
