/** Services, Deployments, Roles and related kinds: stored, defaulted and validated. No controller acts on them. */
import { isJsonEqual } from '../json.ts';
import { labelsOf, textAt, withFields, withMeta, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { bindingColumns, createdColumns, deploymentColumns, runtimeClassColumns } from './builtin-columns.ts';
import { builtin } from './builtin.ts';
import { required, wrong } from './causes.ts';
import { deploymentCauses, deploymentDefaults, selectorText } from './deployment.ts';
import { endpointSlices } from './endpoint-slice.ts';
import { endpointsCauses, endpointsDefaults } from './endpoints.ts';
import { textReader, valueAt } from './field-path.ts';
import { nextBuiltin } from './next-state.ts';
import type { Resource } from './resource.ts';
import { bindingCauses, bindingDefaults, rbacGroup, roleCauses } from './role.ts';
import { admitService } from './service-addresses.ts';
import { endpointsColumns, serviceColumns } from './service-columns.ts';
import { serviceCauses, serviceDefaults } from './service.ts';

const rbac = { group: rbacGroup, nameRule: 'path-segment', createOnUpdate: true } as const;
const nextOrdinary = nextBuiltin(true);

/** A status write does not change the labels of a Deployment. */
const nextDeployment: Resource['next'] = (old, sent, through) => {
  const wanted = nextOrdinary(old, sent, through);
  const labels = labelsOf(old);
  if (through !== 'status') return wanted;
  return withMeta(wanted, { labels: Object.keys(labels).length > 0 ? labels : undefined });
};

function runtimeClassCauses(runtime: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const handler = textAt(runtime, 'handler') ?? '';
  if (handler === '') return [required('handler')];
  const moved = old !== undefined && !isJsonEqual(old['handler'], handler);
  return moved ? [wrong('handler', handler, 'field is immutable')] : [];
}

export const workloadKinds: readonly Resource[] = [
  builtin({
    plural: 'services',
    kind: 'Service',
    shortNames: ['svc'],
    categories: ['all'],
    nameRule: 'label',
    columns: serviceColumns,
    subresources: ['status'],
    createOnUpdate: true,
    returnsDeleted: true,
    selectable: { 'spec.clusterIP': textReader('spec.clusterIP'), 'spec.type': textReader('spec.type') },
    complete: serviceDefaults,
    admit: admitService,
    validate: serviceCauses,
  }),
  builtin({
    plural: 'endpoints',
    kind: 'Endpoints',
    listKind: 'EndpointsList',
    shortNames: ['ep'],
    columns: endpointsColumns,
    createOnUpdate: true,
    complete: endpointsDefaults,
    validate: endpointsCauses,
  }),
  endpointSlices,
  builtin({
    plural: 'deployments',
    kind: 'Deployment',
    group: 'apps',
    shortNames: ['deploy'],
    categories: ['all'],
    columns: deploymentColumns,
    subresources: ['scale', 'status'],
    scale: {
      specReplicasPath: 'spec.replicas',
      statusReplicasPath: 'status.replicas',
      selectorOf: (deployment) => selectorText(valueAt(deployment, 'spec.selector')),
    },
    countsGenerations: true,
    prepareNew: (deployment) => withFields(deployment, { status: undefined }),
    next: nextDeployment,
    complete: deploymentDefaults,
    validate: deploymentCauses,
    enumField: (path) => path.replace(/^spec\.strategy\.type$/, 'spec.strategy'),
  }),
  builtin({
    ...rbac,
    plural: 'roles',
    kind: 'Role',
    columns: createdColumns,
    validate: roleCauses('namespace'),
  }),
  builtin({
    ...rbac,
    plural: 'clusterroles',
    kind: 'ClusterRole',
    namespaced: false,
    columns: createdColumns,
    validate: roleCauses('cluster'),
  }),
  builtin({
    ...rbac,
    plural: 'rolebindings',
    kind: 'RoleBinding',
    columns: bindingColumns,
    complete: bindingDefaults,
    validate: bindingCauses(['Role', 'ClusterRole']),
  }),
  builtin({
    ...rbac,
    plural: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    namespaced: false,
    columns: bindingColumns,
    complete: bindingDefaults,
    validate: bindingCauses(['ClusterRole']),
  }),
  builtin({
    plural: 'runtimeclasses',
    kind: 'RuntimeClass',
    group: 'node.k8s.io',
    namespaced: false,
    columns: runtimeClassColumns,
    unconditionalUpdate: false,
    createOnUpdate: true,
    validate: runtimeClassCauses,
  }),
];
