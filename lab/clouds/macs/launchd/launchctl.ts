/** launchctl: the subcommands for one job, with the texts and exit codes of macOS (spec/host.md A12). */
import { done, failed, type Call, type Reply } from '../command-socket.ts';
import { hostPath } from '../disk.ts';
import { sendSignal } from '../processes.ts';
import { argumentsOf } from './definition.ts';
import type { Job } from './job.ts';
import type { Launchd } from './launchd.ts';

export interface LaunchctlPorts {
  readonly root: string;
  readonly launchd: Launchd;
  /** Whether somebody is logged in at the screen: auto-login worked. */
  readonly hasConsole: boolean;
  readonly note: (what: string) => void;
}

const usage = failed(64, 'Usage: launchctl <subcommand> ... | help [subcommand]');
const asRoot = 'Try re-running the command as root for richer errors.';

export function launchctl(call: Call, ports: LaunchctlPorts): Reply | Promise<Reply> {
  const [subcommand, ...args] = call.args;
  switch (subcommand) {
    case 'bootstrap':
      return bootstrap(call, ports);
    case 'bootout':
      return bootout(call, ports);
    case 'kickstart':
      return kickstart(call, ports);
    case 'kill':
      return kill(call, ports);
    case 'print':
      return print(args[0] ?? '', ports);
    case 'list':
      return list(ports.launchd);
    case undefined:
      return usage;
    default:
      return failed(64, `Unrecognized subcommand: ${subcommand}`);
  }
}

function bootstrap(
  { args: [, domain, ...paths], user, cwd }: Call,
  { root, launchd, note }: LaunchctlPorts,
): Reply {
  if (domain === undefined || paths.length === 0) return usage;
  if (domain === 'system' && user !== 'root')
    return failed(5, `Bootstrap failed: 5: Input/output error\n${asRoot}`);
  for (const path of paths) {
    const outcome = launchd.register(domain, hostPath(root, path, cwd));
    if (outcome === 'in progress') return failed(37, 'Bootstrap failed: 37: Operation already in progress');
    if (outcome !== 'registered') return failed(5, 'Bootstrap failed: 5: Input/output error');
    note(`bootstrap ${domain} ${shownPath(root, path)}`);
  }
  return done;
}

async function bootout({ args, user, cwd }: Call, { root, launchd, note }: LaunchctlPorts): Promise<Reply> {
  const [, domain, path] = args;
  if (domain === undefined) return usage;
  const target = path === undefined ? domain : launchd.targetOfPath(domain, hostPath(root, path, cwd));
  if (domain.startsWith('system') && user !== 'root')
    return failed(1, 'Boot-out failed: 1: Operation not permitted');
  if (target === undefined) return failed(5, `Boot-out failed: 5: Input/output error\n${asRoot}`);
  if (!(await launchd.unregister(target))) return failed(3, 'Boot-out failed: 3: No such process');
  note(`bootout ${target}`);
  return done;
}

async function kickstart({ args, user }: Call, { launchd, note }: LaunchctlPorts): Promise<Reply> {
  const flags = args.slice(1).filter((argument) => argument.startsWith('-'));
  const target = args.slice(1).find((argument) => !argument.startsWith('-'));
  if (target === undefined || flags.some((flag) => !/^-[kps]+$/.test(flag))) return usage;
  if (target.startsWith('system/') && user !== 'root')
    return failed(1, `Could not kickstart service "${labelOf(target)}": 1: Operation not permitted`);
  const kills = flags.some((flag) => flag.includes('k'));
  if (!(await launchd.kickstart(target, kills))) return notFound(target);
  note(`kickstart ${kills ? '-k ' : ''}${target}`);
  const pid = launchd.jobs.get(target)?.pid;
  return flags.some((flag) => flag.includes('p')) ? { exit: 0, stdout: `${pid ?? ''}\n` } : done;
}

function kill({ args: [, name = '', target = ''], user }: Call, { launchd, note }: LaunchctlPorts): Reply {
  const job = launchd.jobs.get(target);
  if (user !== 'root') return failed(1, 'Could not signal service: 1: Operation not permitted');
  if (job === undefined) return notFound(target);
  if (job.pid === undefined) return failed(3, 'Could not signal service: 3: No such process');
  const signal = signals.find((one) => one.replace('SIG', '') === name.replace('SIG', ''));
  if (signal === undefined) return usage;
  sendSignal(job.pid, signal);
  note(`kill ${name} ${target}`);
  return done;
}

const signals = ['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const;

function print(target: string, { root, launchd, hasConsole }: LaunchctlPorts): Reply {
  const job = launchd.jobs.get(target);
  if (job !== undefined) return { exit: 0, stdout: shownJob(target, job, root) };
  const [kind, name, label] = target.split('/');
  if (label !== undefined || (kind === 'system' && name !== undefined)) return notFound(target);
  if (kind === 'system')
    return { exit: 0, stdout: 'com.apple.xpc.launchd.domain.system = {\n\ttype = system\n}\n' };
  if (kind !== 'gui') return usage;
  if (!hasConsole) return failed(125, 'Domain does not support specified action');
  return { exit: 0, stdout: `gui/${name ?? ''} = {\n\ttype = login\n\tsession = Aqua\n}\n` };
}

function shownJob(target: string, job: Job, root: string): string {
  const { pid, runs, lastExit, definition } = job;
  const [program = ''] = argumentsOf(definition);
  const exit =
    typeof lastExit === 'string'
      ? [`last terminating signal = ${lastExit}`]
      : [`last exit code = ${exitText(lastExit)}`];
  const lines = [
    `active count = ${pid === undefined ? 0 : 1}`,
    `path = ${shownPath(root, job.path)}`,
    'type = LaunchDaemon',
    `state = ${pid === undefined ? 'not running' : 'running'}`,
    '',
    `program = ${program}`,
    `username = ${definition.UserName}`,
    `runs = ${runs}`,
    ...(pid === undefined ? [] : [`pid = ${pid}`]),
    ...exit,
  ];
  return `${target} = {\n${lines.map((line) => (line === '' ? '' : `\t${line}`)).join('\n')}\n}\n`;
}

function exitText(exit: number | undefined): string {
  if (exit === undefined) return '(never exited)';
  return exit === 78 ? '78: EX_CONFIG' : String(exit);
}

function list({ jobs }: Launchd): Reply {
  const rows = [...jobs].map(([target, { pid, lastExit }]) =>
    [pid ?? '-', typeof lastExit === 'string' ? -9 : (lastExit ?? 0), labelOf(target)].join('\t'),
  );
  return { exit: 0, stdout: `${['PID\tStatus\tLabel', ...rows].join('\n')}\n` };
}

function notFound(target: string): Reply {
  const [domain = ''] = target.split('/');
  return failed(113, `Bad request.\nCould not find service "${labelOf(target)}" in domain for ${domain}`);
}

function labelOf(target: string): string {
  return target.split('/').at(-1) ?? target;
}

/** As on a real Mac: without the folder that the disk of the simulated Mac is. */
function shownPath(root: string, path: string): string {
  return path.startsWith(root) ? path.slice(root.length) : path;
}
