/** OpenSSH's server on loopback with its own host key, for one new user key. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { MissingReferenceError } from '../reference-error.ts';
import { runCommand, type Outcome } from '../run-command.ts';
import type { Workplace } from './workplace.ts';

export interface Sshd {
  readonly port: number;
  readonly user: string;
  readonly userKey: string;
  readonly hostKey: string;
  /** Runs a command on the host with OpenSSH's own client, pinned to the host key. */
  ssh(command: string): Promise<Outcome>;
}

export async function startSshd(workplace: Workplace, program: string): Promise<Sshd> {
  const [port = 0] = await workplace.ports(1);
  const dir = join(workplace.dir, 'sshd');
  await mkdir(dir, { mode: 0o700 });
  const [hostKey, userKey] = [join(dir, 'host'), join(dir, 'user')];
  for (const key of [hostKey, userKey]) await makeKey(key);
  await writeFile(join(dir, 'authorized_keys'), await readFile(`${userKey}.pub`), { mode: 0o600 });
  const [type, material] = (await readFile(`${hostKey}.pub`, 'utf8')).split(' ');
  await writeFile(join(dir, 'known_hosts'), `[127.0.0.1]:${port} ${type} ${material}\n`);
  await writeFile(join(dir, 'sshd_config'), configuration(dir, port));
  // The folder for privilege separation of OpenSSH; Debian's service would create it at boot.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  await workplace.launch({
    name: 'sshd',
    command: program,
    ports: [port],
    args: ['-D', '-e', '-f', join(dir, 'sshd_config')],
    isHealthy: async (log) => (await log()).includes('Server listening on 127.0.0.1'),
  });
  const user = userInfo().username;
  const options = [
    '-F',
    'none',
    '-o',
    'BatchMode=yes',
    '-o',
    'IdentitiesOnly=yes',
    '-o',
    `UserKnownHostsFile=${join(dir, 'known_hosts')}`,
  ];
  const ssh = (command: string): Promise<Outcome> =>
    runCommand('ssh', [...options, '-i', userKey, '-p', String(port), `${user}@127.0.0.1`, command]);
  return { port, user, userKey, hostKey, ssh };
}

async function makeKey(file: string): Promise<void> {
  const made = await runCommand('ssh-keygen', [
    '-q',
    '-t',
    'ed25519',
    '-N',
    '',
    '-C',
    'muster-reference',
    '-f',
    file,
  ]);
  if (made.status !== 0)
    throw new MissingReferenceError(
      `ssh-keygen failed: ${made.stderr.trim()}`,
      'run: apt-get install openssh-client',
    );
}

function configuration(dir: string, port: number): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(dir, 'host')}`,
    `AuthorizedKeysFile ${join(dir, 'authorized_keys')}`,
    `PidFile ${join(dir, 'sshd.pid')}`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    // The keys are below the temporary folder, which every user may write to.
    'StrictModes no',
    'UsePAM no',
    'Subsystem sftp internal-sftp',
    '',
  ].join('\n');
}
