/** The disk of a simulated Mac: what a fresh installation holds, where a path of macOS lies, and what has changed. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

export interface DiskFacts {
  readonly user: string;
  readonly password: string;
  readonly serial: string;
  readonly hardwareId: string;
  readonly osVersion: string;
  readonly osBuild: string;
  /** After as many wrong passwords, sudo refuses the right one too, until the next boot. */
  readonly sudoFailuresMax: number;
}

/** /usr/local/bin is missing on a fresh Mac: spec/host.md A6.5. */
const folders = [
  '.mac/names',
  '.mac/sysctl',
  '.mac/sudo-tickets',
  'Applications',
  'Library/LaunchDaemons',
  'Library/Preferences',
  'etc/pf.anchors',
  'etc/sudoers.d',
  'opt',
  'tmp',
  'usr/local',
  'var/db',
  'var/log',
  'var/root',
];

/** The configuration of pf that Apple ships. */
export const stockPfConf = `scrub-anchor "com.apple/*"
nat-anchor "com.apple/*"
rdr-anchor "com.apple/*"
dummynet-anchor "com.apple/*"
anchor "com.apple/*"
load anchor "com.apple" from "/etc/pf.anchors/com.apple"
`;
const stockAnchor = 'anchor "200.AirDrop/*"\nanchor "250.ApplicationFirewall/*"\n';
const stockSudoers = 'root ALL=(ALL) ALL\n%admin ALL=(ALL) ALL\n#includedir /private/etc/sudoers.d\n';

/** Wipes the folder, and makes a fresh installation of it. */
export function installDisk(root: string, facts: DiskFacts): void {
  for (const name of existsSync(root) ? readdirSync(root) : []) rmSync(join(root, name), { recursive: true });
  for (const folder of [...folders, `Users/${facts.user}`])
    mkdirSync(join(root, folder), { recursive: true });
  const files: Readonly<Record<string, string>> = {
    'etc/pf.conf': stockPfConf,
    'etc/pf.anchors/com.apple': stockAnchor,
    'etc/sudoers': stockSudoers,
    '.mac/password': facts.password,
    '.mac/serial': facts.serial,
    '.mac/hardware-uuid': facts.hardwareId,
    '.mac/users': `root\n${facts.user}\nnobody\ndaemon\n`,
    '.mac/admins': `root\n${facts.user}\n`,
    '.mac/groups': 'wheel\nstaff\nadmin\ndaemon\nnobody\n',
    '.mac/sudo-failures-max': `${facts.sudoFailuresMax}\n`,
    '.mac/sysctl/kern.osproductversion': `${facts.osVersion}\n`,
    '.mac/sysctl/kern.osversion': `${facts.osBuild}\n`,
    '.mac/sysctl/hw.ncpu': '10\n',
    '.mac/sysctl/hw.memsize': '17179869184\n',
    '.mac/sysctl/hw.model': 'Mac16,10\n',
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content);
  chmodSync(join(root, 'etc/sudoers'), 0o440);
  // The commands of macOS run on the same Node as this process.
  symlinkSync(process.execPath, join(root, '.mac/node'));
}

/** Scripts put the root in front of a path themselves; a property list or pf.conf holds the path of a real Mac. */
export function hostPath(root: string, path: string, cwd = root): string {
  if (!isAbsolute(path)) return resolve(cwd, path);
  return path === root || path.startsWith(`${root}/`) ? path : join(root, path);
}

/** Not in it: what changes by itself, and the files of the simulation. */
const passedOver = new Set(['.mac', 'tmp', 'var/log']);

/** Each file with its mode and content, to prove that nothing changed. */
export function filesOf(root: string, folder = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (passedOver.has(path)) continue;
    const mode = (statSync(join(root, path), { throwIfNoEntry: false })?.mode ?? 0) & 0o7777;
    if (entry.isDirectory()) for (const [inner, what] of filesOf(root, path)) found.set(inner, what);
    const digest = entry.isFile() ? digestOf(join(root, path)) : entry.isDirectory() ? 'folder' : 'other';
    found.set(`/${path}`, `${mode.toString(8)} ${digest}`);
  }
  return found;
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
