/**
 * Installs the dependencies when they differ from the lock file. Runs before `npm start`, `npm test` and the other
 * commands, on the Node of npm itself (20 or newer), so it is plain JavaScript and needs no package.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const oldestMajor = 20;
const lockPatienceMs = 15 * 60_000;
/** Longer than writing the process id into the new lock folder takes. */
const namelessAfterMs = 5_000;
const pollMs = 250;

/**
 * @typedef {{ version?: string; integrity?: string; optional?: boolean; os?: string[]; cpu?: string[]; libc?: string[] }} Entry
 */

/**
 * npm records the content of node_modules in its own lock file. Packages for other platforms may be absent. Packages
 * for this platform must be present although the lock file marks them as optional: the pinned Node is one of them.
 * @param {string} root
 */
export function isUpToDate(root) {
  const wanted = packagesIn(join(root, 'package-lock.json'));
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (entry.optional === true && !isForThisPlatform(entry))) return true;
    const present = installed[path];
    if (present === undefined || !existsSync(join(root, path))) return false;
    return present.version === entry.version && present.integrity === entry.integrity;
  });
}

/** @param {Entry} entry */
function isForThisPlatform({ os, cpu, libc }) {
  return (
    allows(os, process.platform) && allows(cpu, process.arch) && allows(libc, isGlibc() ? 'glibc' : 'musl')
  );
}

/**
 * @param {string[] | undefined} list
 * @param {string} value
 */
function allows(list, value) {
  return list === undefined || list.includes(value);
}

function isGlibc() {
  const report = process.report?.getReport();
  return (
    typeof report === 'object' && report !== null && JSON.stringify(report).includes('glibcVersionRuntime')
  );
}

/**
 * Undefined when the file is missing or damaged.
 * @param {string} file
 * @returns {Record<string, Entry> | undefined}
 */
function packagesIn(file) {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @param {string} root */
function install(root) {
  if (Number(process.versions.node.split('.')[0]) < oldestMajor) {
    fail(`Node ${process.versions.node} is too old to run npm here`, `install Node ${oldestMajor} or newer`);
  }
  if (isUpToDate(root)) return;
  const done = runUnderLock({ root, patienceMs: lockPatienceMs, say: console.error }, () => {
    if (!isUpToDate(root)) runNpm(root);
  });
  if (!done) {
    fail(
      'timed out waiting for the installation of another npm start or npm test',
      `check the process in ${join(root, '.install-lock', 'pid')}; if it is unrelated, remove the folder .install-lock`,
    );
  }
}

/** @param {string} root */
function runNpm(root) {
  console.error('Installing dependencies (once)');
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync(command, [...args, ...flags], { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) {
    fail(
      'npm ci failed (see its message above)',
      'check the network and the npm registry settings, then run the command again',
    );
  }
  if (!isUpToDate(root)) {
    fail(
      'npm ci succeeded, but did not install all packages of package-lock.json for this platform',
      'run it by hand and read its output: npm ci',
    );
  }
}

/**
 * Runs `work` under a lock, because two concurrent installations would both empty node_modules. Takes over the lock of
 * a dead process. Returns false when the lock is not free within `patienceMs`.
 * @param {{ root: string; patienceMs: number; say: (text: string) => void }} lock
 * @param {() => void} work
 */
export function runUnderLock({ root, patienceMs, say }, work) {
  const lock = join(root, '.install-lock');
  for (let waited = 0; !tryLock(lock); waited += pollMs) {
    if (waited >= patienceMs) return false;
    if (waited === 0) say('Another command is installing dependencies; waiting for it');
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
  }
  try {
    writeFileSync(join(lock, 'pid'), String(process.pid));
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return true;
}

/** @param {string} lock */
function tryLock(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * The holder is dead, or died before it wrote its process id.
 * @param {string} lock
 */
function isAbandoned(lock) {
  try {
    const file = join(lock, 'pid');
    if (!existsSync(file)) return Date.now() - statSync(lock).mtimeMs > namelessAfterMs;
    return !isAlive(Number(readFileSync(file, 'utf8')));
  } catch (error) {
    // The lock was released meanwhile: the next attempt gets it.
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Throws instead of exiting, so that the lock is released.
 * @param {string} message
 * @param {string} next
 * @returns {never}
 */
function fail(message, next) {
  throw new Error(`error: ${message}\n  next: ${next}`, { cause: fail });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    install(dirname(dirname(fileURLToPath(import.meta.url))));
  } catch (error) {
    if (!(error instanceof Error) || error.cause !== fail) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
