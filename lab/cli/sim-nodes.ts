/**
 * `muster sim nodes`: simulated Nodes of one kind on a cluster, whose Pods run the shipped programs, until it is
 * stopped.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { NodeShape } from '../../src/agent/node/node-object.ts';
import { neededControlTokenOption, tokenIn } from './control-token.ts';
import { connectionFor } from '../../src/cli/kube-connection.ts';
import { parseCount } from '../../src/cli/number-options.ts';
import type { ClusterPorts, ProcessPorts } from '../../src/cli/process-ports.ts';

interface Options {
  readonly kubeconfig?: string;
  readonly os: NodeShape['os'];
  readonly fleet: string;
  readonly count: number;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly githubUrl: string;
  readonly controlTokenFile: string;
  readonly jobMs: number;
  readonly verbose?: true;
}

const userAgent = 'muster-sim-nodes';
const perSecond = 200;

export function simNodesCommand(ports: ProcessPorts): Command {
  return new Command('nodes')
    .description('run simulated Nodes whose runner Pods poll dispatch and do jobs of a simulated GitHub')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG, or ~/.kube/config)')
    .addOption(new Option('--os <os>', 'of the Nodes').choices(['linux', 'darwin']).default('linux'))
    .requiredOption('--fleet <name>', 'what fleetSelector of their pools names')
    .requiredOption('--github-url <url>', 'the simulated GitHub that gives their runners jobs')
    .addOption(neededControlTokenOption())
    .option('--count <count>', 'how many', parseCount, 1)
    .option('--cpus <count>', 'cores of each', parseCount, 64)
    .option('--memory-mb <mb>', 'memory of each', parseCount, 262_144)
    .option('--job-ms <ms>', 'how long a job takes', parseCount, 5000)
    .option('--verbose', 'print what the Pods print')
    .action((options: Options) => run(options, ports));
}

async function run(options: Options, ports: ProcessPorts): Promise<void> {
  const { outside, terminal, stopped } = ports;
  if (outside === undefined) throw new Error('simulated Nodes need a process of their own');
  const folder = await mkdtemp(join(tmpdir(), 'muster-nodes-'));
  try {
    const nodes = await startNodes({ ...options, folder }, { ...ports, ...outside });
    const { count, os, fleet } = options;
    terminal.out(`${count} simulated Nodes (${os}) of fleet ${fleet}.\n`);
    await Promise.race([stopped, nodes.failed]);
    await nodes.stop();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startNodes(
  options: Options & { readonly folder: string },
  ports: ProcessPorts & ClusterPorts,
) {
  const { clock, random, terminal } = ports;
  // Loaded on use only: the help and the other commands do not need it.
  const [{ Agent }, { simulatedDriver }, { KubeClient }, { HttpTransport }, { RateLimit }] =
    await Promise.all([
      import('../../src/agent/agent.ts'),
      import('../clouds/nodes/simulated-driver.ts'),
      import('../../src/kube/client/client.ts'),
      import('../../src/kube/client/http-transport.ts'),
      import('../../src/platform/rate-limit.ts'),
    ]);
  const connection = await connectionFor({ kubeconfig: options.kubeconfig, kubeContext: undefined }, ports);
  const transport =
    ports.transport?.(connection) ?? new HttpTransport({ connection, userAgent, now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond, burst: 2 * perSecond });
  const client = new KubeClient({ transport, clock, limit, fieldManager: userAgent });
  const driver = simulatedDriver({
    folder: options.folder,
    clock,
    githubUrl: options.githubUrl,
    controlToken: await tokenIn(options.controlTokenFile),
    env: { SIM_RUNNER_JOB_MS: String(options.jobMs) },
    ...(options.verbose && { onOutput: (_pod, text) => terminal.err(text) }),
  });
  const log = (text: string): void => terminal.err(`${text}\n`);
  const agents = shapesOf(options).map((node) => new Agent({ client, clock, random, node, driver, log }));
  for (const agent of agents) agent.start();
  return {
    failed: Promise.race(agents.map(({ done }) => done)),
    stop: async (): Promise<void> => {
      await Promise.all(agents.map((agent) => agent.stop()));
      if (transport instanceof HttpTransport) await transport.close();
    },
  };
}

function shapesOf({ count, os, fleet, cpus, memoryMb }: Options): readonly NodeShape[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `sim-${os}-${fleet}-${index + 1}`,
    os,
    fleet,
    cpus,
    memoryMb,
  }));
}
