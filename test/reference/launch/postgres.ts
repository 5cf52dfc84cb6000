/** PostgreSQL on a new data folder, loopback only. PostgreSQL refuses to run as root, so root uses another user. */
import { chown, mkdir, realpath } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { MissingReferenceError } from '../reference-error.ts';
import { runCommand } from '../run-command.ts';
import type { Workplace } from './workplace.ts';

export interface Postgres {
  readonly port: number;
  readonly user: string;
}

/** The user of the Debian package. Programs from elsewhere can run as any existing user. */
const debianUser = 'postgres';

export async function startPostgres(
  workplace: Workplace,
  program: string,
  owningUser = debianUser,
): Promise<Postgres> {
  const [port = 0] = await workplace.ports(1);
  const data = join(workplace.dir, 'postgres');
  await mkdir(data, { mode: 0o700 });
  const owner = process.getuid?.() === 0 ? owningUser : undefined;
  if (owner !== undefined) await giveTo(owner, data);
  const user = 'muster';
  const asOwner =
    owner === undefined ? [] : ['setpriv', '--reuid', owner, '--regid', owner, '--clear-groups', '--'];
  await makeData(program, { data, user, asOwner });
  await workplace.launch({
    name: 'postgres',
    command: program,
    ports: [port],
    ...(owner !== undefined && { user: owner }),
    args: [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${data}`,
    ],
    isHealthy: async (log) => (await log()).includes('ready to accept connections') && accepts(port),
  });
  return { port, user };
}

interface DataFolder {
  readonly data: string;
  readonly user: string;
  /** The command prefix for running as another user. */
  readonly asOwner: readonly string[];
}

async function makeData(program: string, { data, user, asOwner }: DataFolder): Promise<void> {
  const [command, ...args] = [
    ...asOwner,
    join(dirname(await realpath(program)), 'initdb'),
    '-D',
    data,
    '-U',
    user,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
  ];
  const made = await runCommand(command, args, { cwd: data });
  if (made.status !== 0)
    throw new MissingReferenceError(
      `initdb failed: ${made.stderr.trim()}`,
      'check that the postgresql package is whole',
    );
}

async function giveTo(user: string, folder: string): Promise<void> {
  const ids = await Promise.all(['-u', '-g'].map((flag) => runCommand('id', [flag, user])));
  const [uid, gid] = ids.map((id) => Number(id.stdout.trim()));
  if (!uid || !gid)
    throw new MissingReferenceError(
      `there is no user ${user} to run the database as`,
      'run: apt-get install postgresql',
    );
  await chown(folder, uid, gid);
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
