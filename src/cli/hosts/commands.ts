/** The commands that look at a fleet, as they are typed. What they do is loaded only when one of them runs. */
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
    .description('the fleet at a glance; ends with 1 when somebody has to do something about it')
    .addOption(new Option('--watch', 'go on until Ctrl-C, and show what changes').conflicts('json'))
    .addHelpText(
      'after',
      '\nEnds with 1 for a stranded or broken host, a finding of the audit, or when no manager leads.' +
        '\nMachines that wait and hosts that a person keeps aside are shown, and are no failure.\n\nExample: muster status --watch',
    );
  return withJson(withCluster(command)).action(async (options: StatusOptions) =>
    (await import('./status.ts')).runStatus(options, ports),
  );
}

function hostsCommand(ports: ProcessPorts): Command {
  const command = new Command('hosts')
    .description('list hosts: state, owner, and what each costs')
    .option('--zone <zone>', 'only hosts in this zone')
    .option('--state <state>', 'only hosts in this state, such as Stranded')
    .option('--idle', 'only hosts that nobody works on')
    .option('--wide', 'cut nothing to fit 100 columns')
    .addHelpText('after', '\nExample: muster hosts --idle --zone fr-par-1');
  return withJson(withCluster(command)).action(async (options: HostsOptions) => {
    const { hostStates, runHosts } = await import('./hosts.ts');
    if (options.state !== undefined && !hostStates.some((state) => state === options.state))
      command.error(`error: there is no state '${options.state}'; it is one of ${hostStates.join(', ')}`);
    await runHosts(options, ports);
  });
}

function machinesCommand(ports: ProcessPorts): Command {
  const command = new Command('machines')
    .description('list machines: how far each is, and what keeps it')
    .option('-n, --namespace <namespace>', 'only machines in this namespace')
    .addOption(
      new Option('-A, --all-namespaces', 'all namespaces, which is also meant without -n').conflicts(
        'namespace',
      ),
    )
    .option('--wide', 'cut nothing to fit 100 columns')
    .addHelpText('after', '\nExample: muster machines -n ci');
  return withJson(withCluster(command)).action(async (options: MachinesOptions) =>
    (await import('./machines.ts')).runMachines(options, ports),
  );
}

function whyCommand(ports: ProcessPorts): Command {
  const command = new Command('why')
    .description('say why something is as it is, and what would change it')
    .argument('<object>', `${whyForms}; a host has the NAME of its server or of its machine`, parseObject)
    .option(
      '--database-url <url>',
      'for jobs, Pods and pools: the database of dispatch (default: $MUSTER_DATABASE_URL)',
    )
    .option('--runners-namespace <namespace>', 'for Pods and pools: where they are', 'tuist-runners')
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
    .description('say what each controller would do now, and why not more; do nothing')
    .option('--reclaims-max <count>', 'how many stranded hosts the manager takes back at once', parseCount, 5)
    .option('--duplicate-repairs-max <count>', 'how many duplicates it mends at once', parseSeed, 5)
    .option(
      '--secrets-namespace <namespace>',
      'where it keeps Secrets; with it, the keys of fleets are looked at',
    )
    .option('--fleet-spread-deployment <name>', 'the Deployment that it spreads over the Macs')
    .option('--fleet-spread-namespace <namespace>', 'the namespace of that Deployment')
    .option('--runners-namespace <namespace>', 'the namespace of runner pools; with it, they are looked at')
    .option('--dind-image <image>', 'the docker that their jobs on Linux have')
    .addHelpText('after', '\nExample: muster plan --default-adopt-pool-prefix tuist-pool-');
  return withJson(withNames(withCluster(command))).action(async (options: PlanOptions) =>
    (await import('./plan.ts')).runPlan(options, ports),
  );
}

function auditCommand(ports: ProcessPorts): Command {
  const command = new Command('audit')
    .description('check what must always hold of hosts and machines; ends with 1 when something does not')
    .addHelpText('after', '\nExample: muster audit --json');
  return withJson(withCluster(command)).action(async (options: ReadOptions) =>
    (await import('./audit.ts')).runAudit(options, ports),
  );
}
