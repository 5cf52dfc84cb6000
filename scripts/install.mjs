/**
 * Installs the dependencies when what is installed is not what the lock file names, and does nothing otherwise.
 * Runs before `npm start`, `npm test` and `npm run check`, on whatever Node npm itself runs on (20 or newer),
 * so it is plain JavaScript and needs no package.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const oldestMajor = 20;

/**
 * npm notes what it put into node_modules in a lock file of its own. Packages for other platforms may be absent.
 * @param {string} root
 */
export function isUpToDate(root) {
  const wanted = packagesIn(join(root, 'package-lock.json'));
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const present = installed[path];
    if (
      present === undefined
        ? !entry.optional
        : present.version !== entry.version || present.integrity !== entry.integrity
    )
      return false;
  }
  return true;
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string; integrity?: string; optional?: boolean }> | undefined}
 */
function packagesIn(file) {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** @param {string} root */
function install(root) {
  if (Number(process.versions.node.split('.')[0]) < oldestMajor) {
    fail(`Node ${process.versions.node} is too old to run npm here`, `install Node ${oldestMajor} or newer`);
  }
  if (isUpToDate(root)) return;
  takeTurns(root, () => {
    if (isUpToDate(root)) return;
    console.error('Installing dependencies (once)');
    const npm = process.env.npm_execpath;
    const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
    const done = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: 'inherit',
    });
    if (done.status !== 0)
      fail(
        'npm ci failed (its message stands above)',
        'check the network and the npm registry settings, then run the command again',
      );
    if (!isUpToDate(root))
      fail(
        'npm ci succeeded, but package-lock.json names other packages than it installed',
        'run: npm install, and commit package-lock.json',
      );
  });
}

/**
 * Two commands started at once must not both empty node_modules. A turn whose holder is dead is taken over.
 * @param {string} root
 * @param {() => void} work
 */
function takeTurns(root, work) {
  const lock = join(root, '.install-lock');
  while (!tryLock(lock)) {
    const holder = Number(
      existsSync(join(lock, 'pid')) ? readFileSync(join(lock, 'pid'), 'utf8') : Number.NaN,
    );
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { recursive: true, force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
  }
  try {
    writeFileSync(join(lock, 'pid'), String(process.pid));
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** @param {string} lock */
function tryLock(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * @param {string} message
 * @param {string} next
 * @returns {never}
 */
function fail(message, next) {
  console.error(`error: ${message}\n  next: ${next}`);
  process.exit(1);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  install(dirname(dirname(fileURLToPath(import.meta.url))));
}
