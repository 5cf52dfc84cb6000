/** Injects the faults of a plan into the world at their times, and heals the world again. */
import type { ComingEvent } from '../engine/event-heap.ts';
import type { FaultSource } from './fault-plan.ts';
import type { SimProcess } from '../engine/process.ts';
import { faultText, type TimedFault } from './timed-fault.ts';
import type { World } from '../world/world.ts';

export type Acts = Readonly<Record<string, () => void>>;

type ProcessFault = Exclude<Extract<TimedFault, { process: string }>, { kind: 'clog' }>;

function isAboutProcess(fault: TimedFault): fault is ProcessFault {
  return 'process' in fault && fault.kind !== 'clog';
}

export class FaultInjector {
  readonly #world: World;
  readonly #acts: Acts;
  readonly #ends = new Set<ComingEvent>();

  constructor(world: World, acts: Acts) {
    this.#world = world;
    this.#acts = acts;
  }

  /** Starts to inject the faults of this source. */
  follow(source: FaultSource): void {
    const { schedule } = this.#world;
    this.#world.useFaults(source);
    for (const { atMs, fault } of source.timed)
      schedule.direct(schedule.startsAt + atMs - schedule.now, faultText(fault), () => this.#happen(fault));
  }

  /** Injects faults that stay. */
  breakForGood(faults: readonly TimedFault[]): void {
    for (const fault of faults) this.#do(fault);
  }

  /** Stops all faults and repairs what was broken. */
  heal(): void {
    const { processes, links, calls } = this.#world;
    this.#world.useFaults({ decide: () => [] });
    for (const end of this.#ends) this.#world.schedule.cancel(end);
    this.#ends.clear();
    calls.healAll();
    links.healAll();
    for (const process of processes.values()) {
      process.resume();
      process.setClockRight();
      process.start();
    }
  }

  /** A fault that changed nothing, because its effect was already there, is not recorded. */
  #happen(fault: TimedFault): void {
    if (!this.#do(fault)) return;
    const { faults, passedMs, reachability } = this.#world;
    faults.push({ atMs: passedMs, fault });
    reachability.happened(`fault ${fault.kind}`);
  }

  #do(fault: TimedFault): boolean {
    if (isAboutProcess(fault)) return this.#disturb(fault, this.#process(fault.process));
    switch (fault.kind) {
      case 'clog':
        return this.#clog(fault);
      case 'outage':
      case 'write-outage':
        return this.#outage(fault);
      case 'schema-change':
        this.#report('kube', faultText(fault), this.#world.kube.changeSchema(fault));
        return true;
      case 'act':
        return this.#act(fault.name);
    }
  }

  #disturb(fault: ProcessFault, process: SimProcess): boolean {
    switch (fault.kind) {
      case 'crash':
        return process.crash(fault.restartMs);
      case 'pause':
        if (!process.pause()) return false;
        this.#later(fault.forMs, () => process.resume());
        return true;
      case 'stop':
        return process.stop(fault.graceMs, fault.restartMs);
      case 'upgrade':
        return process.upgrade(fault.graceMs);
      case 'clock-jump':
        return process.jump(fault.ms);
    }
  }

  #clog({ process, link: name, forMs, keeps }: Extract<TimedFault, { kind: 'clog' }>): boolean {
    const link = this.#world.links.between(this.#process(process).name, name);
    if (!link.clog(keeps)) return false;
    this.#report(link.name, 'clogs', keeps ? 'holds what comes' : 'loses what comes');
    this.#later(forMs, () => link.heal() && this.#report(link.name, 'heals', ''));
    return true;
  }

  #outage({ kind, service, forMs }: Extract<TimedFault, { service: string }>): boolean {
    const { calls, kube } = this.#world;
    if (calls.stateOf(service) !== 'up') return false;
    const isDown = kind === 'outage';
    calls.setState(service, isDown ? 'down' : 'no-writes');
    this.#report(service, isDown ? 'is down' : 'refuses writes', '');
    if (isDown && service === kube.name) kube.breakWatches();
    this.#later(forMs, () => {
      calls.setState(service, 'up');
      this.#report(service, 'is up again', '');
    });
    return true;
  }

  #act(name: string): boolean {
    const act = this.#acts[name];
    if (act === undefined) throw new Error(`the scenario does not know how to ${name}`);
    this.#report('people', name, '');
    act();
    return true;
  }

  #process(name: string): SimProcess {
    const process = this.#world.processes.get(name);
    if (process === undefined) throw new Error(`the scenario has no process ${name}`);
    return process;
  }

  #later(ms: number | undefined, then: () => void): void {
    if (ms === undefined) return;
    const end = this.#world.schedule.direct(ms, 'heals', () => {
      this.#ends.delete(end);
      then();
    });
    this.#ends.add(end);
  }

  #report(who: string, what: string, outcome: string): void {
    this.#world.report({ who, what, outcome });
  }
}
