/** The idle timeout of a runner: a pool accepts exactly the values that the program in its Pods accepts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runnerPool } from '../../src/api/kinds/runner-pool.ts';
import { runnerVariables } from '../../src/runner-pools/pod-template/pod-parts.ts';
import { macPool } from '../../lab/harness/pool-samples.ts';
import { GuestMachine } from './guest-machine.ts';
import { shellsHere } from './shells.ts';

const name = 'TUIST_RUNNER_IDLE_TIMEOUT_SECONDS';

function poolWith(idleTimeoutSeconds: number) {
  const { metadata, spec } = macPool();
  return { metadata, spec: { ...spec, idleTimeoutSeconds } };
}

function apiTakes(seconds: number): boolean {
  const head = { apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool' };
  return runnerPool.schema.safeParse({ ...head, ...poolWith(seconds) }).success;
}

describe.each(shellsHere())('idleTimeoutSeconds, run by $name', (shell) => {
  let machine: GuestMachine;
  beforeEach(async () => {
    machine = await GuestMachine.open(shell);
  });
  afterEach(() => machine.close());

  /** Without a registration the program succeeds, unless it refuses the timeout. */
  async function guestTakes(seconds: string): Promise<boolean> {
    return (await machine.run('run-runner', { [name]: seconds }).ended()) === 0;
  }

  it.each([0, 1, 99_999])('%i is accepted, passed to the Pod, and accepted there', async (seconds) => {
    expect(apiTakes(seconds)).toBe(true);
    const reported = runnerVariables(poolWith(seconds)).find((variable) => variable.name === name)?.value;
    expect(reported).toBe(`${seconds}`);
    expect(await guestTakes(reported ?? '')).toBe(true);
  });

  it.each([-1, 100_000, 200_000])('%i is refused, and the Pod would refuse it too', async (seconds) => {
    expect(apiTakes(seconds)).toBe(false);
    expect(await guestTakes(`${seconds}`)).toBe(false);
  });
});
