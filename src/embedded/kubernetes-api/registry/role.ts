/** Roles and bindings: defaults and validation. */
import { isJsonEqual, type JsonObject } from '../json.ts';
import { textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { required, unsupported, wrong } from './causes.ts';
import { objectAt, objectsAt, textsAt, withEach } from './reading.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Subjects of kind User and Group have the RBAC API group, ServiceAccounts none. */
export function bindingDefaults(binding: KubeObject): KubeObject {
  const { subjects } = withEach(binding, 'subjects', (subject) =>
    ['User', 'Group'].includes(textAt(subject, 'kind') ?? '') && subject['apiGroup'] === undefined
      ? { ...subject, apiGroup: rbacGroup }
      : subject,
  );
  const reference = objectAt(binding, 'roleRef');
  const roleRef = textAt(reference, 'apiGroup') ? reference : { ...reference, apiGroup: rbacGroup };
  return withFields(binding, { subjects, roleRef });
}

/** nonResourceURLs are allowed in ClusterRoles only. */
export function roleCauses(scope: 'namespace' | 'cluster'): (role: KubeObject) => readonly Cause[] {
  return (role) =>
    objectsAt(role, 'rules').flatMap((rule, index) => ruleCauses(rule, `rules[${index}]`, scope));
}

function ruleCauses(rule: JsonObject, at: string, scope: 'namespace' | 'cluster'): readonly Cause[] {
  const verbs = textsAt(rule, 'verbs').length === 0 ? [required(`${at}.verbs`, 'at least one')] : [];
  if (textsAt(rule, 'nonResourceURLs').length > 0) {
    if (scope === 'namespace')
      return [...verbs, wrong(`${at}.nonResourceURLs`, rule['nonResourceURLs'], 'not in a namespace')];
    const mixed = textsAt(rule, 'apiGroups').length + textsAt(rule, 'resources').length > 0;
    return mixed
      ? [...verbs, wrong(`${at}.nonResourceURLs`, rule['nonResourceURLs'], 'not beside resources')]
      : verbs;
  }
  return [
    ...verbs,
    ...(textsAt(rule, 'apiGroups').length === 0 ? [required(`${at}.apiGroups`, 'at least one')] : []),
    ...(textsAt(rule, 'resources').length === 0 ? [required(`${at}.resources`, 'at least one')] : []),
  ];
}

export function bindingCauses(roleKinds: readonly string[]) {
  return (binding: KubeObject, old: KubeObject | undefined): readonly Cause[] => {
    const role = objectAt(binding, 'roleRef');
    const { kind, name, apiGroup } = role;
    const causes = [
      ...(apiGroup === rbacGroup ? [] : [unsupported('roleRef.apiGroup', apiGroup, [rbacGroup])]),
      ...(typeof kind === 'string' && roleKinds.includes(kind)
        ? []
        : [unsupported('roleRef.kind', kind, roleKinds)]),
      ...((name ?? '') === '' ? [required('roleRef.name')] : []),
      ...objectsAt(binding, 'subjects').flatMap((one, index) =>
        subjectCauses(one, `subjects[${index}]`, roleKinds.length === 1),
      ),
    ];
    const moved = old !== undefined && !isJsonEqual(role, objectAt(old, 'roleRef'));
    return moved ? [...causes, wrong('roleRef', role, 'cannot change roleRef')] : causes;
  };
}

function subjectCauses(subject: JsonObject, at: string, isClusterWide: boolean): readonly Cause[] {
  const kind = textAt(subject, 'kind') ?? '';
  const name = (textAt(subject, 'name') ?? '') === '' ? [required(`${at}.name`)] : [];
  if (kind === 'User' || kind === 'Group') return [...name, ...groupCauses(subject, at, rbacGroup)];
  if (kind !== 'ServiceAccount')
    return [...name, unsupported(`${at}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  const isNowhere = isClusterWide && (textAt(subject, 'namespace') ?? '') === '';
  return [...name, ...groupCauses(subject, at, ''), ...(isNowhere ? [required(`${at}.namespace`)] : [])];
}

function groupCauses(subject: JsonObject, at: string, wanted: string): readonly Cause[] {
  const group = textAt(subject, 'apiGroup') ?? '';
  return group === wanted ? [] : [unsupported(`${at}.apiGroup`, group, [wanted])];
}
