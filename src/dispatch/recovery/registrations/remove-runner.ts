/** Removes a registration at GitHub, for all workers. */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { RunnerAtGitHub, Tenant } from '../../github/port.ts';
import { draftOf, type About, type RecoveryPorts } from '../scheduler/worker.ts';

export type RemovalPorts = Pick<RecoveryPorts, 'github' | 'newId' | 'clock'> & {
  readonly store: Pick<RecoveryPorts['store'], 'record'>;
};

export interface Removal {
  readonly tenant: Tenant;
  readonly runner: RunnerAtGitHub;
  /** The job, Pod and claim of the registration, as far as known. */
  readonly about?: About;
}

/**
 * GitHub refuses to remove a busy runner. A lost answer is recorded,
 * so that an operator can find out why the runner is gone.
 */
export async function removeRunner(
  ports: RemovalPorts,
  { tenant, runner, about = {} }: Removal,
): Promise<'removed' | 'gone' | 'busy'> {
  try {
    await ports.github.removeRunner(tenant, runner);
    return 'removed';
  } catch (error) {
    if (isFleetError(error, 'gone')) return 'gone';
    if (isFleetError(error, 'notYet')) return 'busy';
    const evidence = { runner: runner.name, repository: tenant.repository };
    const act = draftOf(ports, 'ghost_runner', { ...about, evidence });
    await ports.store.record({ ...act, outcome: 'unknown' });
    throw error;
  }
}
