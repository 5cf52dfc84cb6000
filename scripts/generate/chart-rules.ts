/** The RBAC rules of the chart, as templates that the roles include. */
import { dispatchRights } from '../../src/dispatch/kube-rights.ts';
import {
  managerRights,
  type Circumstance,
  type OneObject,
  type Right,
} from '../../src/manager/kube-rights.ts';

const conditions: Readonly<Record<Circumstance, string>> = {
  spread: '.Values.manager.fleetSpread.deployment',
  passwords: '.Values.static.passwordsSecret',
};

const names: Readonly<Record<OneObject, string>> = {
  lease: 'muster-manager',
  'spread Deployment': '{{ .Values.manager.fleetSpread.deployment | quote }}',
  'list of Macs': '{{ .Values.static.hosts | quote }}',
  'notes about Macs': '{{ printf "%s-notes" .Values.static.hosts | quote }}',
  'passwords of Macs': '{{ .Values.static.passwordsSecret | quote }}',
};

export function chartRules(): string {
  return Object.entries<readonly Right[]>({ ...managerRights, ...dispatchRights })
    .map(([role, rights]) =>
      [`{{- define "muster.rules.${role}" -}}`, ...rights.flatMap(linesOf), '{{- end -}}'].join('\n'),
    )
    .join('\n\n');
}

function linesOf(right: Right): readonly string[] {
  const { resource, subresource, verbs, why, when, only } = right;
  const { group, plural } = resource;
  const rule = [
    `# ${why}`,
    `- apiGroups: [${group === '' ? "''" : group}]`,
    `  resources: [${subresource === undefined ? plural : `${plural}/${subresource}`}]`,
    ...(only === undefined ? [] : [`  resourceNames: [${names[only]}]`]),
    `  verbs: [${verbs.join(', ')}]`,
  ];
  return when === undefined ? rule : [`{{- if ${conditions[when]} }}`, ...rule, '{{- end }}'];
}
