/** Every use of the manager of an installed chart: hosts, a sweep, a cluster, keys and a Deployment. */
import { expect } from 'vitest';
import { asControl as headers } from '../../lab/harness/control-token.ts';
import type { Client } from '../integration/client.ts';
import { documents } from '../integration/kubectl/flow.ts';
import {
  clusterApiKinds,
  clusterApiMachine,
  clusterOf,
  halvesOf,
  machineOf,
  ownedMachine,
  readyStatus,
} from './cluster-api.ts';
import type { InstalledManager } from './installed-manager.ts';
import { processor, readyMac, readyNodeStatus, settledStatus } from './spread-out.ts';

export const waiting = '--timeout=120s';
/** The name that a release `ci` gives. */
const machineName = 'ci-muster-1';
const lostName = 'ci-muster-lost';

export async function liveThrough(kubectl: Client, manager: InstalledManager): Promise<void> {
  await requirementsForHosts(kubectl);
  await lifeOfCluster(kubectl);
  await lifeOfKeys(kubectl);
  await lifeOfHost(kubectl, manager);
  await lossOfHost(kubectl);
}

async function report(kubectl: Client, what: string, status: object): Promise<void> {
  await kubectl.ok('patch', what, '--subresource=status', '--type=merge', '-p', JSON.stringify(status));
}

/** A machine of Cluster API with a free host, and a machine without one. */
/** The namespace of the chart for host credentials, installed into `fleet`. */
export const hostSecrets = 'fleet-host-secrets';

async function requirementsForHosts(kubectl: Client): Promise<void> {
  await kubectl.feed(documents(...clusterApiKinds()), 'create', '-f', '-');
  await kubectl.ok('wait', '--for=condition=Established', waiting, 'crd/clusters.cluster.x-k8s.io');
  await kubectl.ok('wait', '--for=condition=Established', waiting, 'crd/machines.cluster.x-k8s.io');
  await kubectl.feed(documents(clusterOf('macs'), clusterApiMachine(machineName)), 'create', '-f', '-');
  await report(kubectl, 'clusters.cluster.x-k8s.io/macs', readyStatus);
  const machine = `machines.cluster.x-k8s.io/${machineName}`;
  const uid = await kubectl.ok('get', machine, '-o', 'jsonpath={.metadata.uid}');
  // Left over from an earlier machine of the same name.
  const keys = kubectl.with('-n', hostSecrets);
  await keys.ok('create', 'secret', 'generic', `${machineName}-bootstrap`);
  await keys.ok(
    'label',
    'secret',
    `${machineName}-bootstrap`,
    'tuist.dev/managed-by=capi-scaleway-applesilicon',
  );
  const machines = [ownedMachine(machineName, { cluster: 'macs', uid }), machineOf('idle', { type: 'M4-M' })];
  await kubectl.feed(documents(...machines), 'create', '-f', '-');
}

/** A host is adopted, released, wiped and offered again, and its record is deleted once its server is gone. */
async function lifeOfHost(kubectl: Client, { cloudUrl }: InstalledManager): Promise<void> {
  const machine = `scalewayapplesiliconmachines/${machineName}`;
  await kubectl.ok('wait', machine, '--for=jsonpath={.status.ready}=true', waiting);
  const id = await kubectl.ok('get', machine, '-o', 'jsonpath={.status.serverID}');
  await kubectl.ok('delete', machine, waiting);
  await kubectl.ok('wait', `machost/${id}`, '--for=jsonpath={.status.reason}=Settling', waiting);
  // A host rests some minutes before it is offered, because of late requests; here the rest is skipped.
  await report(kubectl, `machost/${id}`, { status: { wipe: { renamedAt: '2026-01-01T00:00:00Z' } } });
  await kubectl.ok('wait', `machost/${id}`, '--for=jsonpath={.status.state}=Pooled', waiting);
  const body = JSON.stringify({ act: 'remove', server: id });
  const removed = await fetch(`${cloudUrl}/control/act`, { method: 'POST', headers, body });
  expect(removed.status).toBe(200);
  await kubectl.ok('wait', `machost/${id}`, '--for=delete', waiting);
}

/** The MacHost names a machine that was removed without a release; the sweep reclaims the host. */
async function lossOfHost(kubectl: Client): Promise<void> {
  const free = '{.items[?(@.status.state=="Pooled")].metadata.name}';
  const id = await kubectl.ok('get', 'machosts', '-o', `jsonpath=${free}`);
  // Clearing the server id of a machine would not work here: its host would be held.
  const claim = { namespace: 'fleet', name: lostName, uid: '00000000-0000-4000-8000-000000000000' };
  const merge = JSON.stringify({ spec: { claim, used: true } });
  await kubectl.ok('patch', `machost/${id}`, '--type=merge', '-p', merge);
  await kubectl.ok('wait', `machost/${id}`, '--for=jsonpath={.spec.release.orderedBy}=sweep', waiting);
}

/** The manager opens the gate of the Cluster, reports the control plane, and spreads a Deployment over the Macs. */
async function lifeOfCluster(kubectl: Client): Promise<void> {
  const cluster = 'clusters.cluster.x-k8s.io/macs';
  const uid = await kubectl.ok('get', cluster, '-o', 'jsonpath={.metadata.uid}');
  await kubectl.feed(documents(...halvesOf('macs', uid)), 'create', '-f', '-');
  await kubectl.ok('wait', cluster, '--for=condition=ControlPlaneInitialized', waiting);
  for (const half of ['scalewayapplesiliconcluster/macs', 'mustercontrolplane/macs'])
    await kubectl.ok('wait', half, '--for=jsonpath={.status.ready}=true', waiting);
  await kubectl.feed(documents(processor), 'create', '-f', '-');
  await report(kubectl, 'deployment/processor', settledStatus);
  await kubectl.feed(documents(readyMac), 'create', '-f', '-');
  await report(kubectl, 'node/mac-1', readyNodeStatus);
  const mark = '{.spec.template.metadata.annotations.tuist\\.dev/fleet-hash}';
  await kubectl.ok('wait', 'deployment/processor', `--for=jsonpath=${mark}`, waiting);
}

/** Each fleet has a key at the provider; a machine without a fleet has a key of its own. */
async function lifeOfKeys(kubectl: Client): Promise<void> {
  const id = '{.metadata.annotations.scaleway\\.tuist\\.dev/ssh-key-id}';
  for (const name of [machineName, 'idle']) {
    const secret = `secret/fleet-${name}-ssh`;
    const keys = kubectl.with('-n', hostSecrets);
    await keys.ok('wait', secret, '--for=create', waiting);
    await keys.ok('wait', secret, `--for=jsonpath=${id}`, waiting);
  }
}
