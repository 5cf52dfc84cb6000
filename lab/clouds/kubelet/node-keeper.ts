/** Keeps the Node of a kubelet: makes it, says that it is ready, and renews its Lease from then on. */
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import { sleep } from '../../../src/platform/sleep.ts';
import { leases, nodes, type Node } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { microTime } from '../../../src/kube/lease/lease-record.ts';
import { retryUntilDone, type InsistPorts } from './retry.ts';
import { nodeDraft, nodeLabels, nodeStatus, type NodeShape } from './node-record.ts';
import { timeText } from './pod-status.ts';

export interface NodeKeeperOptions extends InsistPorts {
  readonly client: KubeClient;
  readonly node: NodeShape;
  /** How often the Lease is renewed. */
  readonly heartbeatMs: number;
}

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;
const notReadyKey = 'node.kubernetes.io/not-ready';

/** Ends when the kubelet does. A Node that somebody deletes is made again. */
export async function keepNode(options: NodeKeeperOptions): Promise<void> {
  const { clock, stopped, heartbeatMs } = options;
  await retryUntilDone(options, () => registered(options));
  while (!stopped.aborted) {
    await sleep(clock, heartbeatMs, stopped);
    if (!stopped.aborted) await beat(options);
  }
}

async function registered({ client, clock, node }: NodeKeeperOptions): Promise<Node> {
  const place = { name: node.name };
  const found = await client.find(nodes, place);
  if (found === undefined) await client.create(nodes, {}, nodeDraft(node));
  else await client.patch(nodes, place, { merge: { metadata: { labels: nodeLabels(node) } } });
  const status = nodeStatus(node, timeText(clock.now()));
  const ready = await client.patch(nodes, { ...place, subresource: 'status' }, { merge: { status } });
  // A new Node is tainted until somebody has seen that it works; where no controller does that, it is on us.
  const taints = ready.spec?.taints ?? [];
  const others = taints.filter(({ key }) => key !== notReadyKey);
  if (others.length === taints.length) return ready;
  return client.patch(nodes, place, { merge: { spec: { taints: others } } });
}

/** One that fails is made up for by the next. */
async function beat(options: NodeKeeperOptions): Promise<void> {
  const { client, clock, node, log } = options;
  const place = { namespace: leaseNamespace, name: node.name };
  const renewTime = microTime(clock.now());
  try {
    await client.patch(leases, place, { merge: { spec: { renewTime } } });
  } catch (error) {
    if (!isFleetError(error)) throw error;
    if (error.kind === 'gone') await retryUntilDone(options, () => firstBeat(options, renewTime));
    else log(`${error.reason}: ${error.message}`);
  }
}

/** There is no Lease: the Node is new, or was deleted with it. */
async function firstBeat(options: NodeKeeperOptions, renewTime: string): Promise<void> {
  const { client, node } = options;
  const { metadata } = await registered(options);
  // It goes with its Node: that is how the kubelet notices that it must come back.
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: node.name, uid: metadata.uid }];
  const spec = { holderIdentity: node.name, leaseDurationSeconds: leaseSeconds, renewTime };
  const place = { namespace: leaseNamespace };
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: node.name, ownerReferences },
    spec,
  };
  if ((await client.find(leases, { ...place, name: node.name })) === undefined)
    await client.create(leases, place, lease);
}
