/** Roles and their bindings: stored here, understood by `auth/`. */
import { builtin } from './builtins.ts';
import type { Resource } from './resource.ts';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

function roleKind(plural: string, kind: string, namespaced: boolean): Resource {
  return builtin({
    plural,
    kind,
    group: 'rbac.authorization.k8s.io',
    namespaced,
    nameRule: 'path-segment',
    createOnUpdate: true,
    schema: anything,
  });
}

export const roleKinds: readonly Resource[] = [
  roleKind('roles', 'Role', true),
  roleKind('clusterroles', 'ClusterRole', false),
  roleKind('rolebindings', 'RoleBinding', true),
  roleKind('clusterrolebindings', 'ClusterRoleBinding', false),
];
