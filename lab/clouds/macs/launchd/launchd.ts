/** launchd of a simulated Mac: the jobs that are registered. They outlive the SSH session that registered them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readDefinition, type JobDefinition } from './definition.ts';
import { Job, type JobPorts } from './job.ts';

/** What goes wrong on real Macs at times. */
export type LaunchdFault =
  /** `bootstrap` right after `bootout` reports success, and the job is not there: spec/host.md A6.18. */
  | 'lose-bootstrap'
  /** `kickstart -k` reports success, and the old process goes on. */
  | 'ignore-kickstart';

export interface LaunchdPorts extends JobPorts {
  /** More registrations of one label than this since the boot, and Background Task Management throttles the job. */
  readonly registrationsMax: number;
}

export type Registered = 'registered' | 'already loaded' | 'in progress' | 'refused';

const daemons = 'Library/LaunchDaemons';

export class Launchd {
  /** Why property lists were refused, which launchctl does not say. */
  readonly refusals: string[] = [];
  readonly #ports: LaunchdPorts;
  /** By target, such as `system/dev.muster.agent`. */
  readonly #jobs = new Map<string, Job>();
  readonly #stopping = new Set<string>();
  readonly #registrations = new Map<string, number>();
  readonly #faults: LaunchdFault[] = [];

  constructor(ports: LaunchdPorts) {
    this.#ports = ports;
  }

  get jobs(): ReadonlyMap<string, Job> {
    return this.#jobs;
  }

  inject(fault: LaunchdFault, times = 1): void {
    this.#faults.push(...Array.from({ length: times }, () => fault));
  }

  register(domain: string, path: string): Registered {
    const definition = this.#read(path);
    if (definition === undefined || definition.Disabled) return 'refused';
    const target = `${domain}/${definition.Label}`;
    if (this.#stopping.has(target)) return 'in progress';
    if (this.#jobs.has(target)) return 'already loaded';
    const registrations = (this.#registrations.get(target) ?? 0) + 1;
    this.#registrations.set(target, registrations);
    if (this.#takeFault('lose-bootstrap')) return 'registered';
    const isHonored = registrations <= this.#ports.registrationsMax;
    const job = new Job({ definition, path, isHonored }, this.#ports);
    this.#jobs.set(target, job);
    job.load();
    return 'registered';
  }

  /** False where there is no such job. */
  async unregister(target: string): Promise<boolean> {
    const job = this.#jobs.get(target);
    if (job === undefined) return false;
    this.#jobs.delete(target);
    this.#stopping.add(target);
    job.unload();
    await job.stop();
    this.#stopping.delete(target);
    return true;
  }

  /** Starts the job; with `kills`, ends what runs before. */
  async kickstart(target: string, kills: boolean): Promise<boolean> {
    const job = this.#jobs.get(target);
    if (job === undefined) return false;
    if (this.#takeFault('ignore-kickstart')) return true;
    if (kills) await job.stop();
    // Between the two the job may have been booted out.
    if (this.#jobs.get(target) === job) job.start();
    return true;
  }

  targetOfPath(domain: string, path: string): string | undefined {
    for (const [target, job] of this.#jobs)
      if (job.path === path && target.startsWith(`${domain}/`)) return target;
    return undefined;
  }

  /** Registers what lies in /Library/LaunchDaemons; what was registered from elsewhere is gone. */
  boot(): void {
    const folder = join(this.#ports.root, daemons);
    for (const name of readdirSync(folder).toSorted())
      if (name.endsWith('.plist')) this.register('system', join(folder, name));
  }

  /** The power goes: nothing is started again. The caller ends the processes. */
  halt(): void {
    for (const job of this.#jobs.values()) job.unload();
    this.#jobs.clear();
    this.#registrations.clear();
    this.#ports.signatures.clear();
  }

  #read(path: string): JobDefinition | undefined {
    try {
      return readDefinition(path);
    } catch (error) {
      this.refusals.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  #takeFault(fault: LaunchdFault): boolean {
    const at = this.#faults.indexOf(fault);
    if (at >= 0) this.#faults.splice(at, 1);
    return at >= 0;
  }
}
