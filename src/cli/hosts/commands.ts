/** The command definitions that read a fleet. Each implementation is imported when its command runs. */
import { Command, Option } from 'commander';
import type { ProcessPorts } from '../process-ports.ts';
import type { WhyRunnerOptions } from '../jobs/why-runner.ts';
import { changeCommands } from './change-commands.ts';
import type { HostsOptions } from './hosts.ts';
import type { MachinesOptions } from './machines.ts';
import type { StatusOptions } from './status.ts';
import { parseCount, parseSeed } from '../number-options.ts';
import type { PlanOptions } from './plan-rows.ts';
import { parseObject, whyForms } from './why-object.ts';
import { withCluster, withJson, withNames, type ReadOptions } from './options.ts';

export function fleetCommands(ports: ProcessPorts): readonly Command[] {
  return [
    statusCommand(ports),
    hostsCommand(ports),
    machinesCommand(ports),
    whyCommand(ports),
    planCommand(ports),
    auditCommand(ports),
    ...changeCommands(ports),
  ];
}

function statusCommand(ports: ProcessPorts): Command {
  const command = new Command('status')
    .description('show the fleet at a glance; exit with 1 when an operator must act')
    .addOption(new Option('--watch', 'repeat until Ctrl-C, and show what changes').conflicts('json'))
    .addHelpText(
      'after',
      '\nExits with 1 for a stranded or broken host, a finding of the audit, or when no manager leads.' +
        '\nWaiting machines and hosts on hold are shown, and are no failure.\n\nExample: muster status --watch',
    );
  return withJson(withCluster(command)).action(async (options: StatusOptions) =>
    (await import('./status.ts')).runStatus(options, ports),
  );
}

function hostsCommand(ports: ProcessPorts): Command {
  const command = new Command('hosts')
    .description('list hosts with state, owner and price')
    .option('--zone <zone>', 'show only hosts in this zone')
    .option('--state <state>', 'show only hosts in this state, such as Stranded')
    .option('--idle', 'show only hosts without a working machine')
    .option('--wide', 'do not cut cells to fit 100 columns')
    .addHelpText('after', '\nExample: muster hosts --idle --zone fr-par-1');
  return withJson(withCluster(command)).action(async (options: HostsOptions) => {
    const { hostStates, runHosts } = await import('./hosts.ts');
    if (options.state !== undefined && !hostStates.some((state) => state === options.state))
      command.error(`error: there is no state '${options.state}'; the states are ${hostStates.join(', ')}`);
    await runHosts(options, ports);
  });
}

function machinesCommand(ports: ProcessPorts): Command {
  const command = new Command('machines')
    .description('list machines with their progress, and what each waits for')
    .option('-n, --namespace <namespace>', 'show only machines in this namespace')
    .addOption(new Option('-A, --all-namespaces', 'show all namespaces (the default)').conflicts('namespace'))
    .option('--wide', 'do not cut cells to fit 100 columns')
    .addHelpText('after', '\nExample: muster machines -n ci');
  return withJson(withCluster(command)).action(async (options: MachinesOptions) =>
    (await import('./machines.ts')).runMachines(options, ports),
  );
}

function whyCommand(ports: ProcessPorts): Command {
  const command = new Command('why')
    .description('explain the state of an object, and what would change it')
    .argument(
      '<object>',
      `${whyForms}; the NAME of a host is that of its server or of its machine`,
      parseObject,
    )
    .option(
      '--database-url <url>',
      'for jobs, Pods and pools: use this database of dispatch (default: $MUSTER_DATABASE_URL)',
    )
    .option(
      '--runners-namespace <namespace>',
      'for Pods and pools: read them in this namespace',
      'tuist-runners',
    )
    .addHelpText(
      'after',
      '\nExamples: muster why host/3f0d2c4e\n          muster why machine/ci/runners-7xk2p\n          muster why job/9007199254741000',
    );
  return withJson(withNames(withCluster(command))).action(
    async (object: string, options: WhyRunnerOptions) => {
      const [, kind, name] = /^(job|pod|pool)\/([^/]+)$/.exec(object) ?? [];
      if (kind === undefined || name === undefined)
        return (await import('./why.ts')).runWhy(object, options, ports);
      return (await import('../jobs/why-runner.ts')).runWhyRunner(kind, name, options, ports);
    },
  );
}

function planCommand(ports: ProcessPorts): Command {
  const command = new Command('plan')
    .description('show what each controller would do now, and why not more; change nothing')
    .option(
      '--reclaims-max <count>',
      'assume that the manager reclaims this many stranded hosts at once',
      parseCount,
      5,
    )
    .option(
      '--duplicate-repairs-max <count>',
      'assume that the manager repairs this many duplicates at once',
      parseSeed,
      5,
    )
    .option(
      '--secrets-namespace <namespace>',
      'the namespace of the Secrets of the manager; with it, check the SSH keys of fleets',
    )
    .option('--fleet-spread-deployment <name>', 'the Deployment that the manager spreads over the Macs')
    .option('--fleet-spread-namespace <namespace>', 'the namespace of that Deployment')
    .option('--runners-namespace <namespace>', 'the namespace of runner pools; with it, check the pools')
    .option('--dind-image <image>', 'the docker-in-docker image for Linux jobs')
    .addHelpText('after', '\nExample: muster plan --default-adopt-pool-prefix tuist-pool-');
  return withJson(withNames(withCluster(command))).action(async (options: PlanOptions) =>
    (await import('./plan.ts')).runPlan(options, ports),
  );
}

function auditCommand(ports: ProcessPorts): Command {
  const command = new Command('audit')
    .description('check the invariants of hosts and machines; exit with 1 on a violation')
    .addHelpText('after', '\nExample: muster audit --json');
  return withJson(withCluster(command)).action(async (options: ReadOptions) =>
    (await import('./audit.ts')).runAudit(options, ports),
  );
}
