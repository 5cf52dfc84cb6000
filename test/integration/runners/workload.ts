/** The workload of a runner harness: pools, accounts with the App, and jobs. */
import { expect } from 'vitest';
import { runnerPools } from '../../../src/runner-pools/state/runner-pool-objects.ts';
import type { Repository } from '../../../lab/clouds/github/records.ts';
import type { NodeShape } from '../../../src/agent/node/node-object.ts';
import { namespace, type BusyHarness } from './busy-harness.ts';

export const patience = { timeout: 900_000, interval: 500 };

const fleet = 'runners-linux';
const jobLabel = 'tuist-linux';

export function linuxNode(name: string): NodeShape {
  return { name, os: 'linux', fleet, cpus: 64, memoryMb: 262_144 };
}

/** By default small Linux Pods. */
export async function makePool({ client }: BusyHarness, name: string, spec: object): Promise<void> {
  const usual = {
    image: 'example.com/runner@sha256:1',
    os: 'linux',
    fleetSelector: fleet,
    dispatchLabel: jobLabel,
    runnerLabels: ['self-hosted', 'Linux', 'X64'],
    podCPUMilli: 1000,
    podMemoryMB: 1024,
  };
  const pool = { apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool', metadata: { name } };
  await client.create(runnerPools, { namespace }, { ...pool, spec: { ...usual, ...spec } });
}

/** Before that, installation webhooks would be lost. */
export async function untilAllAreUp({ processes }: BusyHarness): Promise<void> {
  await expect.poll(() => processes.every(({ isUp }) => isUp), patience).toBe(true);
}

/** One repository per account. */
export async function install(
  { site, store }: BusyHarness,
  logins: readonly string[],
): Promise<readonly Repository[]> {
  const repositories = logins.map((login) => {
    const account = site.directory.openAccount(login, 'Organization');
    const repository = site.directory.openRepository(account, 'app');
    site.install(account);
    return repository;
  });
  // A job of an unknown account is refused.
  await expect.poll(async () => (await store.accounts()).length, patience).toBe(logins.length);
  return repositories;
}

export function orderJob({ site }: BusyHarness, repository: Repository): void {
  site.board.order({ repository, labels: ['self-hosted', jobLabel] });
}

export function unfinished({ site }: BusyHarness): number {
  return site.board.jobs.filter(({ status }) => status !== 'completed').length;
}
