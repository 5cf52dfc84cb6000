/** Keeps the Node of the agent: creates it, corrects it, and writes its status every few minutes. */
import { nodes, type Node } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { sleep } from '../../platform/sleep.ts';
import { timeText } from '../pods/pod-status.ts';
import { retryUntilDone, type RetryPorts } from '../retry-until-done.ts';
import { hasOtherProviderId, nodeCorrection, nodeDraft, nodeStatus, type NodeShape } from './node-object.ts';

export interface NodeKeeperPorts extends RetryPorts {
  readonly client: KubeClient;
  readonly node: NodeShape;
}

/** A Node is written when it differs, and this often: readers of the status see that the agent still writes it. */
export const statusDefaultMs = 300_000;

/** Ends when the agent does. */
export async function keepNode(ports: NodeKeeperPorts, statusMs: number): Promise<void> {
  const { clock, stopped } = ports;
  while (!stopped.aborted) {
    await sleep(clock, statusMs, stopped);
    if (!stopped.aborted) await retryUntilDone(ports, () => registerNode(ports));
  }
}

/** Creates the Node or corrects the one that exists, and writes its status. */
export async function registerNode({ client, clock, node, log }: NodeKeeperPorts): Promise<Node> {
  const place = { name: node.name };
  const found = await client.find(nodes, place);
  const present = found ?? (await client.create(nodes, {}, nodeDraft(node)));
  if (hasOtherProviderId(node, present))
    log(
      `the Node ${node.name} has the providerID ${present.spec?.providerID}, not ${node.providerId}: it stays as it is`,
    );
  const correction = nodeCorrection(node, present);
  if (correction !== undefined) await client.patch(nodes, place, { merge: correction });
  const status = nodeStatus(node, present, timeText(clock.now()));
  return client.patch(nodes, { ...place, subresource: 'status' }, { merge: { status } });
}
