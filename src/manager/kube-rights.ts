/**
 * Every right that the manager needs in Kubernetes, and why. The roles of the chart are generated from this table. A
 * test compares the table with the requests to a real API server: a missing verb fails there, and an extra verb is
 * never used.
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

/** The setting without which the manager does not need the right. */
export type Circumstance = 'spread' | 'passwords';

/** A single object, whose name depends on the installation. */
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
  /** Verbs that a normal life of a fleet does not use, with the reason. */
  readonly rare?: Readonly<Partial<Record<Verb, string>>>;
}

/** One role each: `fleet` and `runner-nodes` in all namespaces, the others in one namespace. */
export type RoleName = 'fleet' | 'lease' | 'secrets' | 'fleet-spread' | 'static' | 'runners' | 'runner-nodes';

const paged = { list: 'for API servers without streaming lists' } as const;

const fleet: readonly Right[] = [
  {
    resource: macHosts,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    why: 'one for each server; created, claimed, released, and deleted when the server is gone',
    rare: paged,
  },
  {
    resource: macHosts,
    subresource: 'status',
    verbs: ['patch'],
    why: 'the observed server, and the state of the host',
  },
  {
    resource: machines,
    verbs: ['get', 'list', 'watch', 'patch'],
    why: 'the annotation with its host, its finalizer, its provider id; all are listed before a host is reclaimed',
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
    why: 'the readiness that Cluster API waits for, although nothing is built',
    rare: paged,
  },
  { resource: infraClusters, subresource: 'status', verbs: ['patch'], why: 'the same' },
  { resource: controlPlanes, verbs: ['list', 'watch'], why: 'the same for its control plane', rare: paged },
  { resource: controlPlanes, subresource: 'status', verbs: ['patch'], why: 'the same' },
  {
    resource: clustersIn('v1beta2'),
    verbs: ['get'],
    why: 'whether the Cluster that owns a machine is paused or not ready yet',
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
    why: 'an Event is created in the namespace of its machine, and in `default` for a host',
  },
];

const runners: readonly Right[] = [
  {
    resource: runnerPools,
    verbs: ['get', 'list', 'watch', 'patch'],
    why: 'their finalizer and replicas; read again before either is written',
    rare: paged,
  },
  { resource: runnerPools, subresource: 'status', verbs: ['patch'], why: 'the observed Pods' },
  {
    resource: pods,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    why: 'one for each job; read again before its removal, labeled when its image is old, and all listed before their pool is deleted',
  },
  {
    resource: pods,
    subresource: 'log',
    verbs: ['get'],
    why: 'the last lines of a failed Pod, before its removal',
  },
  {
    resource: serviceAccounts,
    verbs: ['get', 'list', 'watch', 'create', 'delete'],
    why: 'one for each Pod, created before the Pod and removed with it',
    rare: paged,
  },
];

const runnerNodes: readonly Right[] = [
  {
    resource: nodes,
    verbs: ['list', 'watch'],
    why: 'which Nodes take Pods of a pool, and which are being drained',
    rare: paged,
  },
  {
    resource: runtimeClasses,
    verbs: ['list', 'watch'],
    why: 'the memory overhead of a Pod, for pools with autoscaling',
    rare: paged,
  },
];

export const managerRights: Readonly<Record<RoleName, readonly Right[]>> = {
  fleet,
  lease: [
    {
      resource: leases,
      verbs: ['create'],
      why: 'one Lease for leader election; a role cannot name an object that does not exist yet',
    },
    { resource: leases, verbs: ['get', 'update'], why: 'the same Lease', only: 'lease' },
  ],
  secrets: [
    {
      resource: secrets,
      verbs: ['get', 'create', 'patch', 'delete'],
      why: 'credentials of hosts and keys of fleets; read before a write, deleted with the machine, and never listed',
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
      why: 'names of hosts, and started wipes',
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
