/**
 * `muster up`: the whole product on embedded parts, on one machine, with a live status of the fleet: the Kubernetes API with
 * the kinds of Muster, a simulated Scaleway, a stand-in for Cluster API, a manager, and jobs of a simulated GitHub.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import type { InstalledKind } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import type { EmbeddedApi } from '../../src/cli/embedded-api.ts';
import type { LiveStatus } from '../../src/cli/hosts/live-status.ts';
import { listenOption, parseFolder, type Address } from '../../src/cli/server-options.ts';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';

interface Options {
  readonly listen: Address;
  readonly data: string;
  readonly demo: boolean;
  readonly jobs: boolean;
  readonly json?: true;
}

/** The printed facts about a start. */
interface Started {
  readonly kubernetesApi: string;
  readonly kubeconfig: string;
  readonly data: string;
  readonly cloud: string;
  /** The token of the control endpoints of the cloud and of GitHub. */
  readonly controlToken: string;
  readonly hosts: number;
  readonly demo: boolean;
  /** These three are absent without jobs. */
  readonly github?: string;
  readonly dispatch?: string;
  /** The database of jobs, in the form for the job commands. */
  readonly database?: string;
  readonly kinds: readonly InstalledKind[];
}

export function upCommand(ports: ProcessPorts): Command {
  return new Command('up')
    .description('run the whole product on embedded parts, until stopped')
    .addOption(listenOption({ host: '127.0.0.1', port: 0 }))
    .option('--data <folder>', 'where the state and the kubeconfig are kept', parseFolder, '.muster')
    .option('--no-demo', 'start without the demo fleet and without jobs: all hosts are free')
    .option('--no-jobs', 'start without GitHub, database, dispatch and runners: hosts alone')
    .option('--json', 'print what was started as JSON, and no status')
    .addHelpText(
      'after',
      '\nThe simulated cloud starts anew each time. MacHosts and the namespace demo are cleared first; other' +
        '\nobjects in the API stay, and a machine of yours reports that its host is gone.\n\nExample: muster up --no-demo',
    )
    .action((options: Options) => run(options, ports));
}

async function run(options: Options, ports: ProcessPorts): Promise<void> {
  const { listen, data } = options;
  // Loaded only when it runs: the help and the other commands need none of it.
  const { startEmbeddedApi } = await import('../../src/cli/embedded-api.ts');
  const api = await startEmbeddedApi({ listen, data, kubeconfig: join(data, 'kubeconfig') }, ports);
  try {
    await runOn(api, options, ports);
  } finally {
    await api.close();
  }
}

async function runOn(api: EmbeddedApi, options: Options, ports: ProcessPorts): Promise<void> {
  const { data, demo, jobs, json } = options;
  const [{ installKinds }, { startSimulatedFleet }, { liveStatusOn }] = await Promise.all([
    import('../../src/embedded/kubernetes-api/installed-kinds.ts'),
    import('../demo/simulated-fleet.ts'),
    import('../demo/live-fleet.ts'),
  ]);
  const kubeconfig = join(data, 'kubeconfig');
  const kinds = installKinds(api.server);
  let live: LiveStatus | undefined;
  const report = (text: string): void =>
    live === undefined ? ports.terminal.err(`${text}\n`) : live.report(text);
  const readText = (path: string): Promise<string> => readFile(path, 'utf8');
  const place = {
    server: api.server,
    kubeconfig,
    readFile: readText,
    hasDemo: demo,
    hasJobs: demo && jobs,
    report,
  };
  const fleet = await startSimulatedFleet(place, ports);
  try {
    await api.server.durable();
    const started: Started = {
      kubernetesApi: api.url,
      kubeconfig,
      data,
      cloud: fleet.cloudUrl,
      controlToken: fleet.controlToken.reveal(),
      hosts: fleet.hosts,
      demo,
      ...(fleet.jobs !== undefined && {
        github: fleet.jobs.githubUrl,
        dispatch: fleet.jobs.dispatchUrl,
        database: fleet.jobs.databaseUrl,
      }),
      kinds,
    };
    ports.terminal.out(json === true ? `${JSON.stringify(started, null, 2)}\n` : asText(started));
    if (json !== true)
      live = liveStatusOn({ client: fleet.client, ...(fleet.jobs && { rows: fleet.jobs.rows }) }, ports);
    live?.start();
    await Promise.race([api.ended, ...(live === undefined ? [] : [live.ended])]);
  } finally {
    await live?.stop();
    await fleet.close();
  }
}

function asText(started: Started): string {
  const { kubernetesApi, kubeconfig, data, cloud, hosts, demo } = started;
  const fleet = demo
    ? [
        'A MachineDeployment in the namespace demo wants about three of them. About every half minute it',
        'becomes larger or smaller, or a Machine is replaced. A Mac that is given up is wiped, and offered',
        'again about three minutes later.',
      ]
    : ['No machine uses one of them yet: kubectl apply -f docs/examples/fleet.yaml'];
  return [
    `Kubernetes API at ${kubernetesApi}, kept in ${data}, with a manager and a\nstand-in for Cluster API.`,
    `A simulated Scaleway at ${cloud} with ${hosts} Macs, on which time passes 60 times as fast.`,
    ...fleet,
    ...jobsText(started),
    '',
    'In another terminal:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  bin/muster status                            # what you see below, once',
    '  bin/muster hosts; bin/muster machines        # then: bin/muster why machine/NAMESPACE/NAME',
    '  kubectl get md,machines,samm,mh -A --watch',
    ...(demo ? ['  kubectl -n demo scale md demo --replicas=5'] : []),
    ...jobCommands(started),
    '',
    'Run the manager under faults: bin/muster sim --scenario hosts. Roadmap: docs/roadmap.md',
    'Stop with Ctrl-C. The next start has a new simulated fleet; your other objects in the API stay.',
    '',
  ].join('\n');
}

function jobsText({ github, dispatch }: Started): readonly string[] {
  if (github === undefined || dispatch === undefined) return [];
  return [
    `A simulated GitHub at ${github}, with a job for Linux or for a Mac every few seconds. Dispatch,`,
    `at ${dispatch}, hands them to the Pods of two RunnerPools, in which real shells run the programs`,
    'of the runner images.',
  ];
}

function jobCommands({ github, dispatch, database, controlToken }: Started): readonly string[] {
  if (github === undefined || dispatch === undefined || database === undefined) return [];
  const order = '{"repository": "demo-org/app", "labels": ["self-hosted", "demo-linux"]}';
  return [
    '  kubectl -n demo get rpool,pods --watch',
    `  export MUSTER_DATABASE_URL='${database}'`,
    '  bin/muster jobs; bin/muster queue; bin/muster pools -n demo; bin/muster accounts',
    '  bin/muster why pool/linux --runners-namespace demo   # or job/ID, pod/NAME, as the lists above name them',
    `  export SIM_CONTROL_TOKEN=${controlToken}`,
    `  curl -H "Authorization: Bearer $SIM_CONTROL_TOKEN" -H 'Content-Type: application/json' \\`,
    `    -d '${order}' ${github}/_control/job`,
    `  curl ${dispatch}/openapi.json               # the API of dispatch`,
  ];
}
