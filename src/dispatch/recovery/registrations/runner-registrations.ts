/**
 * Finds out whether the runner of a Pod can get no more jobs, from GitHub alone: the database may be an older copy. A
 * failed request is an error, never a yes.
 */
import type { RunnerOfInstallation } from '../../github/port.ts';
import { podPrefixOf } from '../../assign/registration.ts';
import type { Installation } from '../../store/rows.ts';
import { removeRunner, type Removal, type RemovalPorts } from './remove-runner.ts';
import type { SeenPod } from '../pods/runner-pods.ts';

/** Removes the registration of an idle runner; false if the runner is busy. */
export async function deregisterIdle(ports: RemovalPorts, removal: Removal): Promise<boolean> {
  return !removal.runner.isBusy && (await removeRunner(ports, removal)) !== 'busy';
}

interface Listed extends RunnerOfInstallation {
  readonly installationId: string;
}

/** Answers for many Pods of one run, and lists the runners of each account once. */
export class RunnerRegistrations {
  readonly #ports: RemovalPorts;
  readonly #installations: readonly Installation[];
  readonly #listed = new Map<string, Promise<readonly Listed[]>>();

  constructor(ports: RemovalPorts, installations: readonly Installation[]) {
    this.#ports = ports;
    this.#installations = installations;
  }

  /** Registrations whose name derives from the Pod; several if answers were lost. */
  async of({ name: podName, accountId }: SeenPod): Promise<readonly Listed[]> {
    const lists = await Promise.all(this.#activeOf(accountId).map(({ id }) => this.#listOnce(id)));
    return lists.flat().filter(({ name }) => isNameOf(podName, name));
  }

  /** Removes the registrations; true if none of them can get a job any more. */
  async deregisterIdle({ name, uid }: SeenPod, own: readonly Listed[]): Promise<boolean> {
    // A truncated Pod name may match another Pod's registration, so remove nothing.
    if (own.length > 0 && podPrefixOf(name) !== name) return false;
    const about = { pod: { name, uid } };
    for (const runner of own)
      if (!(await deregisterIdle(this.#ports, { tenant: runner, runner, about }))) return false;
    return true;
  }

  #activeOf(of: string | undefined): readonly Installation[] {
    return this.#installations.filter(({ accountId, state }) => accountId === of && state === 'active');
  }

  #listOnce(installationId: string): Promise<readonly Listed[]> {
    const known = this.#listed.get(installationId) ?? this.#list(installationId);
    this.#listed.set(installationId, known);
    return known;
  }

  async #list(installationId: string): Promise<readonly Listed[]> {
    const runners = await this.#ports.github.runnersOf(installationId);
    return runners.map((runner) => ({ ...runner, installationId }));
  }
}

function isNameOf(podName: string, runnerName: string): boolean {
  const prefix = `${podPrefixOf(podName)}-`;
  return runnerName.startsWith(prefix) && /^[0-9a-f]{8}$/.test(runnerName.slice(prefix.length));
}
