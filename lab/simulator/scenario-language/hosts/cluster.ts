/**
 * A MachineDeployment in a story: the stand-in for Cluster API above the machines, and the Nodes of hosts below them.
 */
import { ClusterApiCore } from '../../../clouds/cluster-api/core.ts';
import { RuntimeTransport } from '../../world/kube-transport.ts';
import { deploymentPath, giveNode, install, nodePath, raise } from '../../workloads/hosts/cluster-objects.ts';
import { textOf } from './object-facts.ts';
import { paths, type StoryContext } from './context.ts';

const tendMs = 10_000;
/** The API serves a new kind only some time after its definition. */
const servedMs = 2000;

export function beginCluster(context: StoryContext, replicas: number): void {
  const { world, api } = context.parts;
  install(api);
  world.schedule.direct(servedMs, 'the cluster is raised', () => {
    raise(api);
    api.change(deploymentPath, { spec: { replicas } });
    tend(context);
  });
  world.addProcess({
    name: 'core',
    versions: [
      ({ clock, random, log, incarnation }) => {
        const transport = new RuntimeTransport(world.kube.transport(incarnation));
        const core = new ClusterApiCore({ transport, clock, random, log });
        core.start();
        return core;
      },
    ],
  });
}

/** Registers the Node of each host that serves, and deletes each Node without a machine. */
function tend(context: StoryContext): void {
  const { world, api } = context.parts;
  const machines = api.list(paths.machines);
  for (const machine of machines) {
    const providerId = textOf(machine, 'spec', 'providerID');
    const isDeleting = textOf(machine, 'metadata', 'deletionTimestamp') !== '';
    if (providerId !== '' && !isDeleting) giveNode(api, textOf(machine, 'metadata', 'name'), providerId);
  }
  const names = new Set(machines.map((machine) => textOf(machine, 'metadata', 'name')));
  for (const node of api.list(nodePath)) {
    const name = textOf(node, 'metadata', 'name');
    if (!names.has(name)) api.delete(`${nodePath}/${name}`);
  }
  world.schedule.direct(tendMs, 'nodes are looked after', () => tend(context));
}
