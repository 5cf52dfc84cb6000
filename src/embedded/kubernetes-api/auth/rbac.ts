/**
 * The RBAC authorizer. It keeps stored roles and bindings in parsed form, updated by the same write, so that a check
 * reads no objects and a deleted role has no effect at once.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { namespaceOf, textAt, type KubeObject } from '../kube-object.ts';
import { rbacGroup } from '../registry/role.ts';
import { keyOf, type Store } from '../store/store.ts';
import { isAboutResource, type Attributes } from './attributes.ts';
import { accountUser, masters, type Identity } from './identity.ts';
import { ruleAllows, rulesIn, type PolicyRule } from './policy-rule.ts';

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

interface Binding {
  /** The name of the binding in the reason of a decision. */
  readonly title: string;
  /** Empty for a cluster-wide binding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

const storages = {
  roles: `roles.${rbacGroup}`,
  clusterRoles: `clusterroles.${rbacGroup}`,
  roleBindings: `rolebindings.${rbacGroup}`,
  clusterRoleBindings: `clusterrolebindings.${rbacGroup}`,
} as const;

export class Rbac {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, Binding>();

  constructor(store: Store) {
    for (const storage of [storages.roles, storages.clusterRoles])
      store.follow(storage, 'start', ({ type, object }) => {
        const key = roleKey(object.kind, namespaceOf(object), object.metadata.name);
        if (type === 'DELETED') this.#roles.delete(key);
        else this.#roles.set(key, rulesIn(object['rules']));
      });
    for (const storage of [storages.roleBindings, storages.clusterRoleBindings])
      store.follow(storage, 'start', ({ type, object }) => {
        const key = `${object.kind} ${keyOf(namespaceOf(object), object.metadata.name)}`;
        if (type === 'DELETED') this.#bindings.delete(key);
        else this.#bindings.set(key, bindingOf(object));
      });
  }

  allows(identity: Identity, asked: Attributes): boolean {
    return this.grantOf(identity, asked) !== undefined;
  }

  /** Why a request is allowed; undefined when it is not. */
  grantOf(identity: Identity, asked: Attributes): string | undefined {
    if (identity.groups.includes(masters)) return `a member of ${masters} may do everything`;
    const namespace = isAboutResource(asked) ? asked.namespace : '';
    return this.#bindingsFor(identity, namespace).find((binding) =>
      this.roleRules(binding.roleRef, binding.namespace)?.some((rule) => ruleAllows(rule, asked)),
    )?.title;
  }

  /** All rules of an identity in a namespace; for an empty namespace, its cluster-wide rules. */
  rulesFor(identity: Identity, namespace: string): readonly PolicyRule[] {
    return this.#bindingsFor(identity, namespace).flatMap(
      (binding) => this.roleRules(binding.roleRef, binding.namespace) ?? [],
    );
  }

  #bindingsFor(identity: Identity, namespace: string): readonly Binding[] {
    return [...this.#bindings.values()].filter(
      (binding) =>
        (binding.namespace === '' || (namespace !== '' && binding.namespace === namespace)) &&
        binds(binding, identity),
    );
  }

  /** The rules of the role that a binding in this namespace names; undefined where there is no such role. */
  roleRules({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(roleKey(kind, kind === 'Role' ? namespace : '', name));
  }
}

function roleKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${keyOf(namespace, name)}`;
}

function binds({ users, groups }: Binding, identity: Identity): boolean {
  return users.has(identity.user) || identity.groups.some((group) => groups.has(group));
}

export function roleRefOf(binding: JsonObject): RoleRef {
  const ref = binding['roleRef'];
  const fields = isJsonObject(ref) ? ref : {};
  return { kind: textAt(fields, 'kind') ?? '', name: textAt(fields, 'name') ?? '' };
}

function bindingOf(object: KubeObject): Binding {
  const subjects = subjectsIn(object['subjects']);
  const namesOf = (kind: string): string[] =>
    subjects.flatMap((one) => (one.kind === kind ? [one.name] : []));
  const accounts = subjects
    .filter(({ kind }) => kind === 'ServiceAccount')
    .map(({ namespace, name }) => accountUser(namespace === '' ? namespaceOf(object) : namespace, name));
  const roleRef = roleRefOf(object);
  return {
    title: `${object.kind} ${JSON.stringify(object.metadata.name)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)}`,
    namespace: namespaceOf(object),
    roleRef,
    users: new Set([...namesOf('User'), ...accounts]),
    groups: new Set(namesOf('Group')),
  };
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

function subjectsIn(list: Json | undefined): readonly Subject[] {
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map((one) => ({
    kind: textAt(one, 'kind') ?? '',
    name: textAt(one, 'name') ?? '',
    namespace: textAt(one, 'namespace') ?? '',
  }));
}
