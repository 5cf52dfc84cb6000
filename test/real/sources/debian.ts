/**
 * Programs that the system's package manager owns: found on the PATH or where Debian keeps them,
 * installed with apt-get where we are root. Servers that a package would start at once are held back:
 * a judge listens on loopback only, and only while a suite runs.
 */
import { access, constants, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { JudgeError } from '../judge-error.ts';
import type { DebianRecipe } from '../judges.ts';
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
    throw new JudgeError(
      `${recipe.package} is not installed, and only root may install it`,
      `run: sudo apt-get install ${recipe.package}`,
    );
  }
  await withServicesHeldBack(async () => {
    progress(`apt-get install ${recipe.package}`);
    const first = await apt(['install', '-y', '--no-install-recommends', recipe.package]);
    if (first.status === 0) return;
    progress('apt-get update');
    await apt(['update']);
    const second = await apt(['install', '-y', '--no-install-recommends', recipe.package]);
    if (second.status !== 0) {
      throw new JudgeError(
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
    throw new JudgeError(
      'this system has no apt-get',
      'install the program with the system package manager and put it on the PATH',
    );
  }
}

/** Debian asks this file before it starts a service; one that someone else put there is left alone. */
async function withServicesHeldBack(install: () => Promise<void>): Promise<void> {
  const present = await readFile(policyFile, 'utf8').catch(() => '');
  const ours = present === '' || present.includes(policyMark);
  if (ours) await writeFile(policyFile, `#!/bin/sh\n${policyMark}\nexit 101\n`, { mode: 0o755 });
  try {
    await install();
  } finally {
    if (ours) await rm(policyFile, { force: true });
  }
}
