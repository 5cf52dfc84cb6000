/** The process driver of simulated Nodes: in the place of GitHub's runner, a script that speaks to the simulated GitHub. */
import { fileURLToPath } from 'node:url';
import { processDriver } from '../../../src/agent/drivers/process/process-driver.ts';
import type { Driver, DriverPod } from '../../../src/agent/drivers/port.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Secret } from '../../../src/platform/secret.ts';

export interface SimulatedDriverOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly githubUrl: string;
  /** Of the control endpoint of the simulated GitHub. */
  readonly controlToken: Secret;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onOutput?: (pod: DriverPod, text: string) => void;
}

const programs = fileURLToPath(new URL('../../../src/guest/', import.meta.url));
const runnerTemplate = fileURLToPath(new URL('./runner/', import.meta.url));

/** What was started ends with the agent. */
export function simulatedDriver({ githubUrl, controlToken, env, ...rest }: SimulatedDriverOptions): Driver {
  return processDriver({
    ...rest,
    programs,
    runnerTemplate,
    outlivesAgent: false,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      SIM_GITHUB_URL: githubUrl,
      SIM_CONTROL_TOKEN: controlToken.reveal(),
      ...env,
    },
  });
}
