/**
 * Pods whose containers are child processes: the programs that runner images ship, run by a shell, with a folder for a
 * disk. The processes outlive the agent, and the next agent attaches to them.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import type {
  ContainerEnd,
  ContainerOrder,
  ContainerSignals,
  Driver,
  DriverPod,
  PodSandbox,
} from '../port.ts';
import { KeptChild } from './kept-child.ts';
import { PodDisk } from './pod-disk.ts';
import { unlessMissing } from './unless-missing.ts';

export interface ProcessDriverOptions {
  /** Each Pod has a folder of its own in it while it lives. */
  readonly folder: string;
  readonly clock: Clock;
  /** The folder of the shipped programs. */
  readonly programs: string;
  /** The folder of GitHub's runner, copied for each Pod. */
  readonly runnerTemplate: string;
  readonly shell?: string;
  /** PATH of the programs, and what is added to the environment of every container. */
  readonly env: Readonly<Record<string, string>>;
  /** False where the processes are to end with the agent. */
  readonly outlivesAgent?: boolean;
  /** Receives what containers print. */
  readonly onOutput?: (pod: DriverPod, text: string) => void;
}

const programOf: Readonly<Record<string, string>> = {
  'linux poller': 'dispatch-poll',
  'linux runner': 'run-runner',
  'darwin runner': 'mac-session',
};
/** How often the token is read; the reader replaces it only when that is due. */
const tokenMs = 60_000;

export function processDriver(options: ProcessDriverOptions): Driver {
  return (pod) => new ProcessSandbox(options, pod);
}

/** Ends and removes Pods that a dead agent left and that no longer exist. */
export async function removeOtherPods(
  options: ProcessDriverOptions,
  present: ReadonlySet<string>,
): Promise<void> {
  const found = (await unlessMissing(readdir(options.folder))) ?? [];
  for (const uid of found.filter((name) => !present.has(name))) {
    const root = join(options.folder, uid);
    const containers = (await unlessMissing(readdir(join(root, 'containers')))) ?? [];
    for (const name of containers)
      await new KeptChild(join(root, 'containers', name), options.clock).signal('SIGKILL');
    await new PodDisk(root, 'darwin').remove();
  }
}

class ProcessSandbox implements PodSandbox {
  readonly isKnown: boolean;
  readonly outlivesAgent: boolean;
  readonly #options: ProcessDriverOptions;
  readonly #pod: DriverPod;
  readonly #disk: PodDisk;
  #prepared: Promise<void> | undefined;

  constructor(options: ProcessDriverOptions, pod: DriverPod) {
    this.#options = options;
    this.#pod = pod;
    this.#disk = new PodDisk(join(options.folder, pod.uid), pod.os);
    this.isKnown = existsSync(this.#disk.at('containers'));
    this.outlivesAgent = options.outlivesAgent ?? true;
  }

  async run(container: ContainerOrder, signals: ContainerSignals): Promise<ContainerEnd> {
    const program = programOf[`${this.#pod.os} ${container.name}`];
    if (program === undefined) return idle(signals);
    const { clock, onOutput } = this.#options;
    const output = onOutput === undefined ? undefined : (text: string) => onOutput(this.#pod, text);
    const child = new KeptChild(this.#disk.at(join('containers', container.name)), clock, output);
    const over = new AbortController();
    const stop = (): void => over.abort();
    signals.detach?.addEventListener('abort', stop);
    const stopToken = await this.#keepToken(container);
    try {
      if (!child.wasStarted) await this.#start(child, program, container);
      return await this.#follow(child, signals, over.signal);
    } finally {
      stopToken();
      signals.detach?.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    await this.#disk.remove();
  }

  async #start(child: KeptChild, program: string, { env }: ContainerOrder): Promise<void> {
    this.#prepared ??= this.#prepare();
    await this.#prepared;
    if (this.#pod.os === 'darwin') await this.#disk.shareEnvironment(env);
    const { programs, shell = '/bin/sh' } = this.#options;
    await child.start({
      shell,
      program: join(programs, program),
      env: this.#environment(this.#pod.os === 'darwin' ? {} : env),
    });
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#disk.root, { recursive: true, mode: 0o700 });
    await this.#disk.prepare(this.#options.runnerTemplate);
    await mkdir(this.#disk.at('containers'), { recursive: true });
  }

  async #follow(child: KeptChild, signals: ContainerSignals, detached: AbortSignal): Promise<ContainerEnd> {
    const term = (): void => void child.signal('SIGTERM');
    const kill = (): void => void child.signal('SIGKILL');
    signals.term.addEventListener('abort', term);
    signals.kill.addEventListener('abort', kill);
    if (signals.term.aborted) term();
    if (signals.kill.aborted) kill();
    try {
      const exitCode = await child.ended(detached);
      if (exitCode === undefined) return { exitCode: 0, reason: 'Detached' };
      // A job may have left processes running.
      await child.signal('SIGKILL');
      return { exitCode, log: (await this.#disk.sharedLog()) ?? (await child.tail()) };
    } finally {
      signals.term.removeEventListener('abort', term);
      signals.kill.removeEventListener('abort', kill);
    }
  }

  #environment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return {
      ...env,
      TMPDIR: this.#disk.at('tmp'),
      TUIST_GUEST_ROOT: this.#disk.root,
      TUIST_RUNNER_HOME: this.#disk.runnerHome,
      TUIST_SUDO: '',
      TUIST_ENV_OWNER: '',
      TUIST_SHUTDOWN: this.#disk.at('sbin/shutdown'),
      ...this.#options.env,
    };
  }

  /** Writes the token where the program reads it, and a new token before it expires. The result ends that. */
  async #keepToken({ token }: ContainerOrder): Promise<() => void> {
    if (token === undefined) return () => undefined;
    const { clock } = this.#options;
    let cancel: () => void = () => undefined;
    let isOver = false;
    const again = (): void => {
      if (!isOver) cancel = clock.after(tokenMs, () => void renew().then(again, again));
    };
    const renew = async (): Promise<void> => this.#disk.putToken(await token());
    await renew();
    again();
    return () => {
      isOver = true;
      cancel();
    };
  }
}

/** A container without a program here, such as a sidecar: it runs until it is asked to end. */
async function idle({ term, kill, detach }: ContainerSignals): Promise<ContainerEnd> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of [term, kill, detach]) {
    signal?.addEventListener('abort', () => resolve(), { once: true });
    if (signal?.aborted === true) resolve();
  }
  await promise;
  return { exitCode: 0 };
}
