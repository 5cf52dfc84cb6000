/** The reference page of the RBAC rights: verbs, resources and reasons. */
import { dispatchRights } from '../../src/dispatch/kube-rights.ts';
import { managerRights, type Right } from '../../src/manager/kube-rights.ts';
import { markdownTable } from './markdown-table.ts';

export function rightsPage(): string {
  const rows = Object.entries<readonly Right[]>({ ...managerRights, ...dispatchRights }).flatMap(
    ([role, rights]) =>
      rights.map((right) => [
        role,
        `\`${resourceOf(right)}\``,
        right.verbs.map((verb) => `\`${verb}\``).join(', '),
        remarksOn(right),
      ]),
  );
  return [
    '# Rights in Kubernetes',
    'The rights of `muster manager` and, in the roles `dispatch`, of `muster dispatch` at the API server. The roles of the chart are generated from the same tables. The roles `fleet`, `runner-nodes` and `dispatch-reviews` are cluster-wide, each other role is for one namespace.',
    markdownTable(['Role', 'Resource', 'Verbs', 'Why'], rows),
  ].join('\n\n');
}

function resourceOf({ resource, subresource }: Right): string {
  const { group, plural } = resource;
  const part = subresource === undefined ? '' : `/${subresource}`;
  return group === '' ? `${plural}${part}` : `${plural}${part}.${group}`;
}

function remarksOn({ why, when, only }: Right): string {
  const one = only === undefined ? [] : [`only the ${only}`];
  const circumstance = when === undefined ? [] : [`where there are: ${when}`];
  const remarks = [...one, ...circumstance];
  return remarks.length === 0 ? why : `${why} (${remarks.join('; ')})`;
}
