/** The folder that stands for the disk of one Pod: what its programs read, in the places where they look for it. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Secret } from '../../../src/platform/secret.ts';

const fake = new URL('./run.sh', import.meta.url);
const tokenFiles = {
  linux: 'var/run/secrets/tuist-runner/token',
  darwin: 'Volumes/My Shared Files/env/sa_token',
} as const;
const runnerHomes = { linux: 'home/runner', darwin: 'Users/runner/actions-runner' } as const;

export class GuestDisk {
  readonly root: string;
  readonly #os: 'linux' | 'darwin';

  constructor(root: string, os: 'linux' | 'darwin') {
    this.root = root;
    this.#os = os;
  }

  get runnerHome(): string {
    return join(this.root, runnerHomes[this.#os]);
  }

  at(path: string): string {
    return join(this.root, path);
  }

  async lay(): Promise<void> {
    const folders = ['tmp', 'etc', 'var/lib/tuist-runner', 'Volumes/My Shared Files/status'];
    for (const folder of folders) await mkdir(this.at(folder), { recursive: true });
    await mkdir(this.runnerHome, { recursive: true });
    await copyFile(fake, join(this.runnerHome, 'run.sh'));
    await this.#put('sbin/shutdown', '#!/bin/sh\n', 0o755);
  }

  /** As the host shares it with a virtual machine. */
  async shareEnvironment(env: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries(env).map(
      ([name, value]) =>
        `${name}=${value.replaceAll('\n', String.raw`\n`).replaceAll('\r', String.raw`\r`)}\n`,
    );
    await this.#put('Volumes/My Shared Files/env/tuist.env', lines.join(''), 0o600);
  }

  async putToken(token: Secret): Promise<void> {
    await this.#put(tokenFiles[this.#os], token.reveal(), 0o400);
  }

  /** What a virtual machine has left for its host; undefined where there is none. */
  async sharedLog(): Promise<string | undefined> {
    const file = this.at('Volumes/My Shared Files/status/runner.log');
    return existsSync(file) ? readFile(file, 'utf8') : undefined;
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  /** Whoever reads the file meanwhile finds all of it or nothing. */
  async #put(path: string, text: string, mode: number): Promise<void> {
    const file = this.at(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, text, { mode });
    await rename(`${file}.new`, file);
  }
}
