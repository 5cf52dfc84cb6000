/** The simulated Nodes of the demo, whose Pods run the shipped programs in real shells. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/platform/clock.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Secret } from '../../../src/platform/secret.ts';
import { Agent } from '../../../src/agent/agent.ts';
import { simulatedDriver } from '../../clouds/nodes/simulated-driver.ts';
import { nodeShapes } from './runner-objects.ts';

export interface DemoNodePorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly githubUrl: string;
  readonly controlToken: Secret;
  readonly report: (text: string) => void;
}

const jobMs = 5000;

/** Stopped by the stack: the processes of the Pods are killed, and their disks are removed. */
export async function startDemoNodes(ports: DemoNodePorts, stack: AsyncDisposableStack): Promise<void> {
  const { report, ...rest } = ports;
  const folder = await mkdtemp(join(tmpdir(), 'muster-nodes-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const driver = simulatedDriver({ ...rest, folder, env: { SIM_RUNNER_JOB_MS: String(jobMs) } });
  const log = (text: string): void => report(`a simulated Node reports: ${text}`);
  const onFault = (error: unknown): void => report(`a simulated Node failed: ${String(error)}`);
  for (const node of nodeShapes) {
    const agent = new Agent({ ...rest, node, driver, log, onFault });
    agent.start();
    stack.defer(() => agent.stop());
  }
}
