/**
 * Prevents privilege escalation: a role may be written only by a holder of all its rules, and bound only by a holder of
 * all rules of the role. The verbs `escalate` and `bind` on the role lift that.
 */
import { isJsonEqual, isJsonObject, without, type JsonObject } from '../json.ts';
import { namespaceOf, withMeta, type KubeObject } from '../kube-object.ts';
import { storageName, type Resource } from '../registry/resource.ts';
import { StatusError } from '../status-error.ts';
import { uncovered } from './covers.ts';
import { masters, type Identity } from './identity.ts';
import { rulesIn, type PolicyRule } from './policy-rule.ts';
import { rbacGroup } from '../registry/role.ts';
import { roleRefOf, type Rbac, type RoleRef } from './rbac.ts';

export interface RoleWrite {
  readonly resource: Resource;
  readonly next: KubeObject;
  readonly old: KubeObject | undefined;
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

export function refuseEscalation(rbac: Rbac, identity: Identity, write: RoleWrite): void {
  if (write.resource.group !== rbacGroup || identity.groups.includes(masters)) return;
  if (write.old !== undefined && isOnlyLettingGo(write.next, write.old)) return;
  const guard = new Guard(rbac, identity, write);
  if ('roleRef' in write.next) guard.checkBinding();
  else guard.checkRole();
}

class Guard {
  readonly #rbac: Rbac;
  readonly #identity: Identity;
  readonly #write: RoleWrite;

  constructor(rbac: Rbac, identity: Identity, write: RoleWrite) {
    this.#rbac = rbac;
    this.#identity = identity;
    this.#write = write;
  }

  checkRole(): void {
    const { next, old, resource } = this.#write;
    if (this.#may('escalate', { kind: resource.kind, name: next.metadata.name })) return;
    this.#requireAll(rulesIn(next['rules']));
    // An aggregated role collects any labeled rules, so its writer must have all rights.
    if (hasAggregation(next) || (old !== undefined && hasAggregation(old))) this.#requireAll(everything);
  }

  checkBinding(): void {
    const { next } = this.#write;
    const role = roleRefOf(next);
    if (this.#may('bind', role)) return;
    const rules = this.#rbac.roleRules(role, namespaceOf(next));
    const plural = `${role.kind.toLowerCase()}s`;
    if (rules === undefined)
      throw new StatusError('NotFound', `${plural}.${rbacGroup} "${role.name}" not found`, {
        subject: { group: rbacGroup, kind: plural, name: role.name },
      });
    this.#requireAll(rules);
  }

  #may(verb: string, role: RoleRef): boolean {
    return this.#rbac.allows(this.#identity, {
      verb,
      group: rbacGroup,
      version: 'v1',
      resource: `${role.kind.toLowerCase()}s`,
      subresource: '',
      namespace: namespaceOf(this.#write.next),
      name: role.name,
    });
  }

  #requireAll(rules: readonly PolicyRule[]): void {
    const { next, resource } = this.#write;
    const missing = uncovered(this.#rbac.rulesFor(this.#identity, namespaceOf(next)), rules);
    if (missing.length === 0) return;
    const { name } = next.metadata;
    const said = missing.map((rule) => JSON.stringify(shown(rule))).join('\n');
    throw new StatusError(
      'Forbidden',
      `${storageName(resource)} "${name}" is forbidden: user "${this.#identity.user}" is attempting to grant RBAC permissions not currently held:\n${said}`,
      { subject: { group: resource.group, kind: resource.plural, name } },
    );
  }
}

function shown(rule: PolicyRule): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([, list]) => list.length > 0));
}

function hasAggregation(role: KubeObject): boolean {
  const rule = role['aggregationRule'];
  return isJsonObject(rule) && Object.keys(rule).length > 0;
}

/** Whether only finalizers and owners change, which every writer may do, so that the object can be collected. */
function isOnlyLettingGo(next: KubeObject, old: KubeObject): boolean {
  const rest = (object: KubeObject): JsonObject =>
    without(
      withMeta(object, {
        ownerReferences: undefined,
        finalizers: undefined,
        managedFields: undefined,
        resourceVersion: undefined,
      }),
    );
  return isJsonEqual(rest(next), rest(old));
}
