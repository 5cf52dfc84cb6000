/** The plans of the other controllers: clusters, inventories, keys of fleets, and the spread Deployment. */
import { ClusterController, clusterKey } from '../../hosts/cluster/controller.ts';
import { FleetKey, fleetOf } from '../../hosts/ssh-key/controller.ts';
import type { Action as KeyAction, Observed as KeyObserved } from '../../hosts/ssh-key/plan.ts';
import { FleetSpread } from '../../hosts/rebalancer/controller.ts';
import { macSelector } from '../../hosts/rebalancer/plan.ts';
import { controlPlanes, infraClusters } from '../../hosts/state/cluster-objects.ts';
import type { Note } from '../../kube/reconciler/plan.ts';
import { nodes } from '../../kube/client/builtin-resources.ts';
import { keyOf, type KubeObject } from '../../kube/client/kube-object.ts';
import { nothing, rowOf, sectionOf, type PlanFacts, type Row, type Section } from './plan-rows.ts';

const noProvider = (): Promise<never> => Promise.reject(new Error('muster plan has no provider connection'));

/** The inventory decides on provider listings only, which a command does not have. */
export function inventorySection({ fleet }: PlanFacts): Promise<Section> {
  const unknown = [
    'the listings of the provider: every --inventory-interval the manager lists each zone, creates missing MacHosts, records changes, and checks each server that two listings left out',
  ];
  return sectionOf('inventory', { unknown }, () =>
    fleet.hosts
      .filter(({ status }) => status.observed === undefined)
      .map(({ id }) => rowOf(`host/${id}`, nothing, 'NotYetObserved: no inventory has listed the host yet')),
  );
}

export function clusterSection({ fleet, cluster }: PlanFacts): Promise<Section> {
  return sectionOf('cluster', {}, async () => {
    const halves = byKey(await cluster.list(infraClusters));
    const planes = byKey(await cluster.list(controlPlanes));
    const clusters = cluster.clusterApi();
    const controller = new ClusterController({
      client: cluster.client,
      now: () => fleet.now,
      infrastructure: (key) => halves.get(key),
      controlPlane: (key) => planes.get(key),
      findCluster: (place) => clusters.find(place),
    });
    const keys = [
      ...[...halves.keys()].map((key) => clusterKey('infrastructure', key)),
      ...[...planes.keys()].map((key) => clusterKey('control-plane', key)),
    ];
    const rows: Row[] = [];
    for (const key of keys) {
      const observed = await controller.observe(key);
      if (observed === undefined) continue;
      const { actions, notes } = controller.plan(observed);
      rows.push(...rowsOf(notes, actions.length === 0 ? nothing : 'report the control plane to its Cluster'));
    }
    return rows;
  });
}

function byKey<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [keyOf(object), object]));
}

const keyDeeds: Readonly<Record<KeyAction['kind'], string>> = {
  make: 'make a key and store it in a Secret',
  register: 'register its key at the provider',
  note: 'record the id of its key at the provider',
  retire: 'delete the registration of its earlier key',
};

/** Only with --secrets-namespace, because the plan reads Secrets with private keys. */
export function fleetKeySection(context: PlanFacts): Promise<Section> {
  const { secretsNamespace: namespace } = context.options;
  if (namespace === undefined)
    return sectionOf(
      'fleet-key',
      { unknown: ['whether each fleet has its key: give --secrets-namespace as for the manager'] },
      () => [],
    );
  const assumed = ['that exactly the keys in the Secrets are registered at the provider'];
  return sectionOf('fleet-key', { assumed }, async () => {
    const controller = keyController(context, namespace);
    const rows: Row[] = [];
    for (const fleet of [...new Set(context.fleet.machines.map(fleetOf))].toSorted()) {
      const observed = await controller.observe(fleet);
      if (observed === undefined) continue;
      const { actions, notes } = controller.plan({ ...observed, registered: assumedKeys(observed) });
      rows.push(...rowsOf(notes, actions[0] === undefined ? nothing : keyDeeds[actions[0].kind]));
    }
    return rows;
  });
}

function keyController({ fleet, cluster }: PlanFacts, namespace: string): FleetKey {
  return new FleetKey({
    client: cluster.client,
    sshKeys: { list: () => Promise.resolve([]), register: noProvider, delete: noProvider },
    makeKey: noProvider,
    machinesOf: (name) => fleet.machines.filter((machine) => fleetOf(machine) === name),
    now: () => fleet.now,
    namespace,
  });
}

function assumedKeys({ fleet, stored }: KeyObserved): KeyObserved['registered'] {
  if (stored?.keyId === undefined) return [];
  return [{ id: stored.keyId, name: fleet, publicKey: stored.publicKey }];
}

export function fleetSpreadSection({ fleet, cluster, options }: PlanFacts): Promise<Section> {
  const { fleetSpreadDeployment: deployment, fleetSpreadNamespace, secretsNamespace } = options;
  if (deployment === undefined)
    return sectionOf(
      'fleet-spread',
      {
        unknown: [
          'whether a Deployment is spread over the Macs: give --fleet-spread-deployment as for the manager',
        ],
      },
      () => [],
    );
  return sectionOf('fleet-spread', {}, async () => {
    const macs = await cluster.list(nodes, { labelSelector: macSelector });
    const controller = new FleetSpread({
      client: cluster.client,
      nodes: () => macs,
      now: () => fleet.now,
      namespace: fleetSpreadNamespace ?? secretsNamespace ?? 'default',
      deployment,
    });
    const { actions, notes } = controller.plan(await controller.observe());
    return rowsOf(
      notes,
      actions.length === 0 ? nothing : 'restart the Deployment, so that its Pods are scheduled again',
    );
  });
}

/** The first note explains the decision; the others are remarks. */
function rowsOf(notes: readonly Note[], does: string): readonly Row[] {
  return notes.map(({ subject, reason, detail }, index) =>
    rowOf(subject, index === 0 ? does : nothing, `${reason}: ${detail}`),
  );
}
