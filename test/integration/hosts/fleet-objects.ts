/** Machines and hosts as kubectl returns them. */
import { vi } from 'vitest';
import { z } from 'zod';
import type { Kube } from '../../reference/launch/kube.ts';

const machineSchema = z.object({
  metadata: z.object({ name: z.string(), uid: z.string() }),
  spec: z.object({ providerID: z.string().default('') }),
  status: z.object({ serverID: z.string().default(''), ready: z.boolean().default(false) }).default({
    serverID: '',
    ready: false,
  }),
});
const hostSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ claim: z.object({ name: z.string(), uid: z.string() }).optional() }).default({}),
  /** A manager that was killed may have created the object without its status. */
  status: z
    .object({ state: z.string().default(''), observed: z.object({ name: z.string() }).optional() })
    .default({ state: '' }),
});
const leaseSchema = z.object({ spec: z.object({ holderIdentity: z.string().default('') }) });

export type Machine = z.infer<typeof machineSchema>;
export type Host = z.infer<typeof hostSchema>;

export async function machinesOf(kube: Kube): Promise<readonly Machine[]> {
  return z.object({ items: z.array(machineSchema) }).parse(await reported(kube, 'samm')).items;
}

export async function hostsOf(kube: Kube): Promise<readonly Host[]> {
  return z.object({ items: z.array(hostSchema) }).parse(await reported(kube, 'machosts')).items;
}

/** Empty before the first leader. */
export async function leaderOf(kube: Kube): Promise<string> {
  const { items } = z.object({ items: z.array(leaseSchema) }).parse(await reported(kube, 'leases'));
  return items[0]?.spec.holderIdentity ?? '';
}

const definitionSchema = z.object({
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish(),
  }),
});

/** `kubectl wait` fails on a definition without conditions, so the conditions are read here. */
export async function installKinds(kube: Kube): Promise<void> {
  await kube.mustKubectl(['apply', '-f', 'charts/muster/crds']);
  const isEstablished = async (): Promise<void> => {
    const answer: unknown = JSON.parse(await kube.mustKubectl(['get', 'crd', '-o', 'json']));
    const { items } = z.object({ items: z.array(definitionSchema) }).parse(answer);
    const ready = items.filter(({ status }) =>
      status.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True'),
    );
    if (ready.length < items.length) throw new Error(`${ready.length} of ${items.length} are established`);
  };
  await vi.waitFor(isEstablished, { timeout: 300_000, interval: 100 });
}

export async function want(kube: Kube, names: readonly string[]): Promise<void> {
  const items = names.map((name) => ({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name, namespace: 'default' },
    spec: { type: 'M2-L', zone: 'fr-par-1', os: 'Tahoe' },
  }));
  await kube.mustKubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

async function reported(kube: Kube, what: string): Promise<unknown> {
  return JSON.parse(await kube.mustKubectl(['get', what, '-n', 'default', '-o', 'json']));
}
