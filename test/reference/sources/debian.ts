/**
 * Programs of the system's package manager: found on the PATH or where Debian keeps them, installed with apt-get as
 * root. Services that a package would start are prevented: a reference program listens on loopback only, and only
 * during a suite.
 */
import { rmSync } from 'node:fs';
import { access, constants, glob, readFile, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { withLock } from '../cache-lock.ts';
import { whenMissing } from '../error-code.ts';
import { MissingReferenceError } from '../reference-error.ts';
import type { DebianRecipe } from '../programs.ts';
import { isNotInstalled, runCommand } from '../run-command.ts';

const policyFile = '/usr/sbin/policy-rc.d';
const policyMark = '# written by muster while it installs a package; safe to remove';

export async function findOnSystem(recipe: DebianRecipe, path: string): Promise<string | undefined> {
  const onPath = path
    .split(delimiter)
    .flatMap((folder) => recipe.commands.map((command) => join(folder, command)));
  for (const candidate of [...onPath, ...(await placesOf(recipe))]) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

export async function installWithApt(recipe: DebianRecipe, progress: (line: string) => void): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new MissingReferenceError(
      `${recipe.package} is not installed, and only root may install it`,
      `run: sudo apt-get install ${recipe.package}`,
    );
  }
  await withServicesHeldBack(policyFile, async () => {
    progress(`apt-get install ${recipe.package}`);
    const first = await apt(['install', '-y', '--no-install-recommends', recipe.package]);
    if (first.status === 0) return;
    progress('apt-get update');
    await apt(['update']);
    const second = await apt(['install', '-y', '--no-install-recommends', recipe.package]);
    if (second.status !== 0) {
      throw new MissingReferenceError(
        `apt-get could not install ${recipe.package}: ${second.stderr.trim().split('\n').at(-1)}`,
        `run: apt-get install ${recipe.package}`,
      );
    }
  });
}

async function placesOf(recipe: DebianRecipe): Promise<readonly string[]> {
  const found = await Promise.all(recipe.places.map((place) => Array.fromAsync(glob(place))));
  return found.flat().toSorted((a, b) => numberIn(b) - numberIn(a));
}

function numberIn(path: string): number {
  return Number(/\d+/.exec(path)?.[0] ?? 0);
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function apt(args: readonly string[]): Promise<{ status: number; stderr: string }> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    return await runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], { env });
  } catch (error) {
    if (!isNotInstalled(error)) throw error;
    throw new MissingReferenceError(
      'this system has no apt-get',
      'install the program with the system package manager and put it on the PATH',
    );
  }
}

const interrupted = (): void => process.exit(130);

/**
 * Debian reads a policy file before it starts a service; a foreign file is not changed. Ours is removed after the
 * install, even after an interrupt, and installs are serialized so that none removes the file of another.
 */
export async function withServicesHeldBack(file: string, install: () => Promise<void>): Promise<void> {
  const lock = join(tmpdir(), `muster-apt-${userInfo().uid}.lock`);
  await withLock({ file: lock, onWait: () => undefined }, async () => {
    const present = await readFile(file, 'utf8').catch(whenMissing);
    if (present !== undefined && !present.includes(policyMark)) {
      await install();
      return;
    }
    const remove = (): void => rmSync(file, { force: true });
    process.on('exit', remove).on('SIGINT', interrupted).on('SIGTERM', interrupted).on('SIGHUP', interrupted);
    try {
      await writeFile(file, `#!/bin/sh\n${policyMark}\nexit 101\n`, { mode: 0o755 });
      await install();
    } finally {
      remove();
      process
        .off('exit', remove)
        .off('SIGINT', interrupted)
        .off('SIGTERM', interrupted)
        .off('SIGHUP', interrupted);
    }
  });
}
