/** The runners of the demo: two pools, their simulated Nodes, and the account of the manager at dispatch. */
import { runnerPools } from '../../../src/runner-pools/state/runner-pool-objects.ts';
import { nodes, serviceAccounts } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { apiVersionOf, type Resource } from '../../../src/kube/client/kube-object.ts';
import type { NodeShape } from '../../../src/agent/node/node-object.ts';
import { demoNamespace as namespace, demoNodeLabel } from '../demo-objects.ts';

/** The account under which the manager reports ended Pods. */
export const managerAccount = { namespace, name: 'muster-manager' } as const;
export const repository = { login: 'demo-org', name: 'app' } as const;

/** One for each platform: `name` is the name of the pool, `runsOn` the label in a workflow. */
export const platforms = [
  { name: 'linux', os: 'linux', runsOn: 'demo-linux', replicas: 3, nodes: 1, cpus: 32, memoryMb: 65_536 },
  { name: 'macs', os: 'darwin', runsOn: 'demo-macos', replicas: 2, nodes: 2, cpus: 12, memoryMb: 28_672 },
] as const;
type Platform = (typeof platforms)[number];

const runnerLabels = { linux: ['self-hosted', 'Linux', 'X64'], darwin: ['self-hosted', 'macOS', 'ARM64'] };
const [nodeLabel = '', nodeValue = ''] = demoNodeLabel.split('=');
const namespaces: Resource = { ...nodes, plural: 'namespaces', kind: 'Namespace' };

export async function makeRunners(client: KubeClient): Promise<void> {
  const drafts: readonly Draft[] = [
    { resource: namespaces, metadata: { name: namespace } },
    { resource: serviceAccounts, metadata: managerAccount },
    ...platforms.map((platform) => ({
      resource: runnerPools,
      metadata: { name: platform.name, namespace },
      spec: poolSpec(platform),
    })),
  ];
  for (const draft of drafts) await apply(client, draft);
}

export const nodeShapes: readonly NodeShape[] = platforms.flatMap((platform) =>
  Array.from({ length: platform.nodes }, (_, index) => ({
    name: `simulated-${platform.os}-${index + 1}`,
    os: platform.os,
    fleet: fleetOf(platform),
    cpus: platform.cpus,
    memoryMb: platform.memoryMb,
    // The label for finding and deleting the Nodes at the next start.
    labels: { [nodeLabel]: nodeValue },
  })),
);

function poolSpec(platform: Platform): object {
  const { os, runsOn, replicas } = platform;
  return {
    replicas,
    image: 'example.com/runner@sha256:simulated',
    os,
    fleetSelector: fleetOf(platform),
    dispatchLabel: runsOn,
    runnerLabels: runnerLabels[os],
    podCPUMilli: 4000,
    podMemoryMB: 8192,
  };
}

function fleetOf({ name }: Platform): string {
  return `demo-${name}`;
}

interface Draft {
  readonly resource: Resource;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: object;
}

async function apply(client: KubeClient, { resource, ...rest }: Draft): Promise<void> {
  const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...rest };
  await client.patch(resource, rest.metadata, { apply: body, force: true });
}
