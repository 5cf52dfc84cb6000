/** The folder that stands for the disk of one Pod: its programs find what they read at the paths of a real guest. */
import { constants } from 'node:fs';
import { cp, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Secret } from '../../../platform/secret.ts';
import { unlessMissing } from './unless-missing.ts';

const tokenFiles = {
  linux: 'var/run/secrets/tuist-runner/token',
  darwin: 'Volumes/My Shared Files/env/sa_token',
} as const;
const runnerHomes = { linux: 'home/runner', darwin: 'Users/runner/actions-runner' } as const;
const sharedLogMax = 64 * 1024;

export class PodDisk {
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

  /** The runner of GitHub is copied, because a job may change its files. */
  async prepare(runnerTemplate: string): Promise<void> {
    const folders = ['tmp', 'etc', 'var/lib/tuist-runner', 'Volumes/My Shared Files/status'];
    for (const folder of folders) await mkdir(this.at(folder), { recursive: true });
    await cp(runnerTemplate, this.runnerHome, { recursive: true });
    await this.#put('sbin/shutdown', '#!/bin/sh\n', 0o755);
  }

  /** The environment of a virtual machine, in the file that the host shares with it. */
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

  /**
   * The end of the log that the guest left for its host; undefined where none exists. The guest controls the file: a link
   * or a pipe in its place is not followed, and no more than 64 KiB are read.
   */
  async sharedLog(): Promise<string | undefined> {
    const path = this.at('Volumes/My Shared Files/status/runner.log');
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await unlessMissing(open(path, flags), ['ENOENT', 'ELOOP', 'ENXIO']);
    if (file === undefined) return undefined;
    try {
      const { size, ...stats } = await file.stat();
      if ((stats.mode & constants.S_IFMT) !== constants.S_IFREG) return undefined;
      const length = Math.min(size, sharedLogMax);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.subarray(0, bytesRead).toString();
    } finally {
      await file.close();
    }
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  /** A reader finds the whole file or none. */
  async #put(path: string, text: string, mode: number): Promise<void> {
    const file = this.at(path);
    await mkdir(dirname(file), { recursive: true });
    await rm(`${file}.new`, { force: true });
    await writeFile(`${file}.new`, text, { mode });
    await rename(`${file}.new`, file);
  }
}
