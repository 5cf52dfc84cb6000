/** Starts the program of a job as launchd does, with the files of the simulated Mac. */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hostPath } from '../disk.ts';
import { argumentsOf, type JobDefinition } from './definition.ts';
import type { SignatureCache } from './mach-o.ts';

export interface ProgramPorts {
  readonly root: string;
  /** The folder of the commands of macOS. */
  readonly commands: string;
  readonly signatures: SignatureCache;
}

const systemFolders = ['/bin', '/sbin', '/usr/bin', '/usr/sbin'];

/** Undefined where launchd cannot start the program: no program, no such user, no folder for a log. */
export function startProgram(definition: JobDefinition, ports: ProgramPorts): ChildProcess | undefined {
  const [program = ''] = argumentsOf(definition);
  const path = programPath(program, ports);
  if (path === undefined || !hasUser(definition, ports)) return undefined;
  const logs: number[] = [];
  try {
    for (const log of [definition.StandardOutPath, definition.StandardErrorPath])
      logs.push(openLog(log, ports));
    const [command, args] = commandOf(definition, path, ports);
    return spawn(command, args, {
      cwd: hostPath(ports.root, definition.WorkingDirectory ?? '/'),
      env: environmentOf(definition, ports),
      stdio: ['ignore', ...logs],
      detached: true,
    });
  } catch (error) {
    // An error of the file system.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  } finally {
    for (const log of logs) closeSync(log);
  }
}

function openLog(log: string | undefined, { root }: ProgramPorts): number {
  return openSync(log === undefined ? '/dev/null' : hostPath(root, log), 'a');
}

function hasUser({ UserName }: JobDefinition, { root }: ProgramPorts): boolean {
  return readFileSync(join(root, '.mac/users'), 'utf8').split('\n').includes(UserName);
}

/** On the disk of the Mac, else a command of macOS, else a program of this machine such as /bin/sh. */
function programPath(program: string, { root, commands }: ProgramPorts): string | undefined {
  const isOfSystem = systemFolders.some((one) => program === join(one, basename(program)));
  const system = isOfSystem ? [join(commands, basename(program)), program] : [];
  return [hostPath(root, program), ...system].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A program that the kernel kills has a pid for a moment, by which a crash loop is seen. */
function commandOf(
  definition: JobDefinition,
  path: string,
  { root, signatures }: ProgramPorts,
): [string, string[]] {
  const isKilled = path.startsWith(root) && !signatures.admits(path);
  if (isKilled) return ['/bin/sh', ['-c', 'kill -KILL $$']];
  const [, ...args] = argumentsOf(definition);
  return [path, args.map((argument) => withRoot(argument, root))];
}

/** The program reads the files of this Mac, although it does not know that it runs in a folder. */
function withRoot(argument: string, root: string): string {
  const [, flag = '', path] = /^((?:-[\w-]+=)?)(\/.*)$/.exec(argument) ?? [];
  if (path === undefined) return argument;
  const inside = hostPath(root, path);
  return existsSync(inside) ? `${flag}${inside}` : argument;
}

function environmentOf(
  { EnvironmentVariables, UserName, Label }: JobDefinition,
  { root, commands }: ProgramPorts,
): Record<string, string> {
  const { PATH = systemFolders.join(':'), HOME, ...rest } = EnvironmentVariables;
  const home = HOME ?? (UserName === 'root' ? '/var/root' : `/Users/${UserName}`);
  const folders = PATH.split(':').map((folder) =>
    systemFolders.includes(folder) ? folder : hostPath(root, folder),
  );
  return {
    USER: UserName,
    LOGNAME: UserName,
    TMPDIR: join(root, 'tmp'),
    ...rest,
    HOME: hostPath(root, home),
    PATH: [commands, ...folders].join(':'),
    MUSTER_ROOT: root,
    MUSTER_JOB: Label,
  };
}
