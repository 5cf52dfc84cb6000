/**
 * The small world of the stress test: few pools and accounts, so that many conflicts happen, and budgets of a few jobs
 * each. Two pools share a platform and so the budgets; one account has less memory than processors.
 */
import type { JobDraft, Limit, Shape } from '../../src/dispatch/store/rows.ts';

interface StressPool {
  readonly name: string;
  readonly shape: Shape;
}

export const pools: readonly StressPool[] = [
  { name: 'linux-small', shape: { platform: 'linux', vcpus: 2, memoryGb: 4 } },
  { name: 'linux-large', shape: { platform: 'linux', vcpus: 4, memoryGb: 16 } },
  { name: 'macs', shape: { platform: 'macos', vcpus: 4, memoryGb: 8 } },
];

export const accountIds = ['11', '12', '13', '14'] as const;

export const limits: readonly Limit[] = accountIds.flatMap((accountId, index): Limit[] => [
  { accountId, platform: 'linux', vcpus: 12, memoryGb: index === 0 ? 20 : 40 },
  { accountId, platform: 'macos', vcpus: 8, memoryGb: 28 },
]);

export const workers = 4;
export const pollersPerWorker = 50;
/** The age at which a claim counts as stale. */
export const staleAfterMs = 150;

/** The pool of a Pod never changes and follows from its number. */
export function poolOf(number: number): string {
  return (pools[number % pools.length] ?? { name: '' }).name;
}

export function podOf(pool: string, id: string): string {
  return `${pool}.${id}`;
}

export function poolOfPod(uid: string): string {
  return uid.slice(0, uid.indexOf('.'));
}

/** The same number always gives the same job. */
export function draftOf(number: number, queuedAt: number): JobDraft {
  const { name, shape } = pools[number % pools.length] ?? {
    name: '',
    shape: { platform: 'linux', vcpus: 1, memoryGb: 1 },
  };
  const accountId = accountIds[Math.floor(number / pools.length) % accountIds.length] ?? '';
  return {
    id: String(number),
    accountId,
    installationId: accountId,
    pool: name,
    shape,
    label: name,
    repository: `org-${accountId}/repo`,
    runId: '1',
    runAttempt: 1,
    workflow: 'build',
    name: 'job',
    branch: 'main',
    commit: 'c0ffee',
    queuedAt,
  };
}

/** All attempts of one delivery share this. */
export function deliveryOf(jobId: string, action: string, receivedAt: number) {
  return { guid: `${action}-${jobId}`, event: 'workflow_job', action, receivedAt };
}
