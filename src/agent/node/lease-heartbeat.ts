/**
 * Renews the Lease of the Node. The heartbeat has a client of its own, so that no slow pull, list or status write delays
 * it: a Node whose Lease is 40 s old is taken for dead, and its Pods are evicted.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { leases, type Node } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { microTime } from '../../kube/lease/lease-record.ts';
import { sleep } from '../../platform/sleep.ts';
import { retryUntilDone, type RetryPorts } from '../retry-until-done.ts';

export interface HeartbeatPorts extends RetryPorts {
  /** Used by nothing else; its requests have a deadline of ten seconds. */
  readonly leaseClient: KubeClient;
  readonly nodeName: string;
  /** Creates the Node where it is missing. */
  readonly register: () => Promise<Node>;
}

export const heartbeatDefaultMs = 10_000;
const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;

/** Ends when the agent does. A Node that was deleted is created again. */
export async function keepLease(ports: HeartbeatPorts, heartbeatMs: number): Promise<void> {
  const { clock, stopped } = ports;
  await retryUntilDone(ports, ports.register);
  while (!stopped.aborted) {
    await sleep(clock, heartbeatMs, stopped);
    if (!stopped.aborted) await renew(ports);
  }
}

/** The next renewal makes up for one that fails. */
async function renew(ports: HeartbeatPorts): Promise<void> {
  const { leaseClient, clock, nodeName, log } = ports;
  const place = { namespace: leaseNamespace, name: nodeName };
  const renewTime = microTime(clock.now());
  try {
    await leaseClient.patch(leases, place, { merge: { spec: { renewTime } } });
  } catch (error) {
    if (!isFleetError(error)) throw error;
    if (error.kind === 'gone') {
      await retryUntilDone(ports, () => createLease(ports, renewTime));
      return;
    }
    log(`failed to renew the Lease: ${error.reason}: ${error.message}`);
    // A connection that fell silent would hold every renewal for its whole deadline.
    if (error.kind === 'unavailable') leaseClient.reconnect();
  }
}

/** The Lease is owned by its Node, and goes with it: by that the agent notices that the Node was deleted. */
async function createLease(ports: HeartbeatPorts, renewTime: string): Promise<void> {
  const { leaseClient, nodeName, register } = ports;
  const { metadata } = await register();
  const place = { namespace: leaseNamespace };
  if ((await leaseClient.find(leases, { ...place, name: nodeName })) !== undefined) return;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: metadata.uid }];
  await leaseClient.create(leases, place, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: nodeName, ownerReferences },
    spec: { holderIdentity: nodeName, leaseDurationSeconds: leaseSeconds, renewTime },
  });
}
