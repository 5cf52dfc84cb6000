/**
 * All that the manager asks of Kubernetes, and why. The roles of the chart are generated from this table, and a test holds
 * it against what a real API server was asked for: a verb too few is refused there, and one too many is never used.
 */
import { clusterApiGroup, clustersIn, controlPlanes, infraClusters } from '../hosts/state/cluster-objects.ts';
import { macHosts, machines } from '../hosts/state/objects.ts';
import { events } from '../kube/reconciler/event-object.ts';
import { runnerPools } from '../runner-pools/state/runner-pool-objects.ts';
import {
  configMaps,
  deployments,
  leases,
  nodes,
  pods,
  runtimeClasses,
  secrets,
  serviceAccounts,
} from '../kube/client/builtin-resources.ts';
import type { Resource } from '../kube/client/kube-object.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** What has to be set for the manager to ask for it. */
export type Circumstance = 'spread' | 'passwords';

/** Which one object is meant; each installation calls it otherwise. */
export type OneObject =
  | 'lease'
  | 'spread Deployment'
  | 'list of Macs'
  | 'notes about Macs'
  | 'passwords of Macs';

export interface Right {
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  readonly subresource?: 'status' | 'log';
  readonly verbs: readonly Verb[];
  readonly why: string;
  readonly when?: Circumstance;
  readonly only?: OneObject;
  /** Verbs that the usual life of a fleet does not show, with the reason. */
  readonly rare?: Readonly<Partial<Record<Verb, string>>>;
}

/** Each is a role of its own: `fleet` and `runner-nodes` in all namespaces, the others in one. */
export type RoleName = 'fleet' | 'lease' | 'secrets' | 'fleet-spread' | 'static' | 'runners' | 'runner-nodes';

const paged = { list: 'for API servers without streaming lists' } as const;

const fleet: readonly Right[] = [
  {
    resource: macHosts,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    why: 'one for each server; made, claimed, ordered to be wiped, and forgotten when the server is gone',
    rare: paged,
  },
  { resource: macHosts, subresource: 'status', verbs: ['patch'], why: 'what was seen of it, and its state' },
  {
    resource: machines,
    verbs: ['get', 'list', 'watch', 'patch'],
    why: 'which host it means, its finalizer, its provider id; all are listed before a host is taken back',
  },
  {
    resource: machines,
    subresource: 'status',
    verbs: ['patch'],
    why: 'its host, addresses, conditions',
  },
  {
    resource: infraClusters,
    verbs: ['list', 'watch'],
    why: 'what Cluster API is told of a cluster for which nothing is built',
    rare: paged,
  },
  { resource: infraClusters, subresource: 'status', verbs: ['patch'], why: 'the same' },
  { resource: controlPlanes, verbs: ['list', 'watch'], why: 'the same for its control plane', rare: paged },
  { resource: controlPlanes, subresource: 'status', verbs: ['patch'], why: 'the same' },
  {
    resource: clustersIn('v1beta2'),
    verbs: ['get'],
    why: 'whether the Cluster above a machine is paused or not ready yet',
  },
  {
    resource: { group: clusterApiGroup, plural: 'clusters' },
    subresource: 'status',
    verbs: ['patch'],
    why: 'one condition, on a Cluster that names no control plane',
  },
  {
    resource: nodes,
    verbs: ['list', 'watch'],
    why: 'which Macs there are to spread a Deployment over',
    when: 'spread',
    rare: paged,
  },
  {
    resource: events,
    verbs: ['create', 'patch'],
    why: 'an Event lies in the namespace of the machine it is about, and in `default` for a host',
  },
];

const runners: readonly Right[] = [
  {
    resource: runnerPools,
    verbs: ['get', 'list', 'watch', 'patch'],
    why: 'their finalizer, and how many Pods are asked for; read again before either is written',
    rare: paged,
  },
  { resource: runnerPools, subresource: 'status', verbs: ['patch'], why: 'what was seen of their Pods' },
  {
    resource: pods,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    why: 'one for each job; read again before it is removed, labelled when its image is old, and all of a pool are listed before the pool may go',
  },
  {
    resource: pods,
    subresource: 'log',
    verbs: ['get'],
    why: 'the last lines of one that did not end well, before it is removed',
  },
  {
    resource: serviceAccounts,
    verbs: ['get', 'list', 'watch', 'create', 'delete'],
    why: 'one for each Pod, made before it and removed with it',
    rare: paged,
  },
];

const runnerNodes: readonly Right[] = [
  {
    resource: nodes,
    verbs: ['list', 'watch'],
    why: 'which of them take Pods of a pool, and which are being drained',
    rare: paged,
  },
  {
    resource: runtimeClasses,
    verbs: ['list', 'watch'],
    why: 'what a Pod costs beside its own memory, where pools follow demand',
    rare: paged,
  },
];

export const managerRights: Readonly<Record<RoleName, readonly Right[]>> = {
  fleet,
  lease: [
    {
      resource: leases,
      verbs: ['create'],
      why: 'replicas agree by one Lease who leads; a role cannot name what does not exist yet',
    },
    { resource: leases, verbs: ['get', 'update'], why: 'the same Lease', only: 'lease' },
  ],
  secrets: [
    {
      resource: secrets,
      verbs: ['get', 'create', 'patch', 'delete'],
      why: 'credentials of hosts, and keys of fleets; one that is there already is read before it is written, those of a host go with its machine, and nothing is listed',
    },
  ],
  'fleet-spread': [
    {
      resource: deployments,
      verbs: ['get', 'patch'],
      why: 'the one Deployment that is rolled when the set of Macs changes',
      only: 'spread Deployment',
    },
  ],
  static: [
    { resource: configMaps, verbs: ['get'], why: 'the list of owned Macs', only: 'list of Macs' },
    {
      resource: configMaps,
      verbs: ['get', 'patch'],
      why: 'their names, and wipes that were begun',
      only: 'notes about Macs',
    },
    {
      resource: secrets,
      verbs: ['get'],
      why: 'their passwords',
      only: 'passwords of Macs',
      when: 'passwords',
    },
  ],
  runners,
  'runner-nodes': runnerNodes,
};
