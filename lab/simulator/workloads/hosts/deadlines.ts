/**
 * Deadlines: each thing must happen in time, not only eventually. Time counts from the end of the faults, because
 * during an outage of the cloud no deadline can be met. A late item is named with its rule.
 */
import { usualPoolPrefix } from '../../../../src/api/names/host-names.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import { WaitingTimes } from '../../checkers/waiting-times.ts';
import type { World } from '../../world/world.ts';
import type { FleetTruth } from './fleet-truth.ts';
import type { Host, Machine } from './stored-objects.ts';

export interface DeadlineSettings {
  /** From when on no fault happens, counted from now. */
  readonly peaceAfterMs: number;
  readonly sweepIntervalMs: number;
  /** The highest number of sweeps until each stranded host was handled. */
  readonly sweepsMax: number;
}

const minute = 60_000;
const lookEveryMs = minute;
/** Processes restart, one takes the lease, and the caches fill. */
const recoveryMs = 6 * minute;
const goneWithinMs = 5 * minute;
const servedWithinMs = 10 * minute;
/** The longest wipe, retries of its request, and the rest before a host is offered. */
const wipedWithinMs = 45 * minute;

export class Deadlines {
  readonly #world: World;
  readonly #truth: FleetTruth;
  readonly #settings: DeadlineSettings;
  readonly #countsFrom: number;
  readonly #times = new Map<string, WaitingTimes>();

  constructor(world: World, truth: FleetTruth, settings: DeadlineSettings) {
    this.#world = world;
    this.#truth = truth;
    this.#settings = settings;
    this.#countsFrom = world.clock.now() + settings.peaceAfterMs + recoveryMs;
  }

  invariants(): readonly Invariant[] {
    const { sweepIntervalMs, sweepsMax } = this.#settings;
    const takenBackMs = sweepsMax * sweepIntervalMs + wipedWithinMs;
    return [
      this.#rule('L1', 'a machine has a host in time where one is free', () => this.#waiting(servedWithinMs)),
      this.#rule('L2', 'a host without an owner is offered again in time', () => this.#unowned(takenBackMs)),
      this.#rule('L3', 'a machine that is deleted is gone in time', () => this.#leaving(goneWithinMs)),
    ];
  }

  #rule(id: string, says: string, check: () => string | undefined): Invariant {
    let lookedAt = this.#countsFrom;
    return {
      id,
      says,
      when: 'each',
      check: () => {
        const now = this.#world.clock.now();
        if (now - lookedAt < lookEveryMs) return undefined;
        lookedAt = now;
        return check();
      },
    };
  }

  #leaving(withinMs: number): string | undefined {
    const late = this.#late(
      'L3',
      this.#truth.machines.filter(({ isDeleting }) => isDeleting),
      withinMs,
    );
    return late && `${late.name} has been leaving for longer than ${withinMs / minute} minutes`;
  }

  /** Two servers never carry one name, so a machine waits until the rent of the server with its name has ended. */
  #isNameOfEndingRent(name: string): boolean {
    return this.#truth.hosts.some(({ id }) => {
      const mac = this.#truth.mac(id);
      return mac?.name === name && mac.deletionScheduled;
    });
  }

  #waiting(withinMs: number): string | undefined {
    const isFree = ({ state }: Host): boolean => state === 'Pooled';
    const conflicts = new Set(this.#truth.conflicts().map(({ machine }) => machine.uid));
    const isUnserved = ({ name, uid, isDeleting, isPaused }: Machine): boolean =>
      !isDeleting &&
      !isPaused &&
      !conflicts.has(uid) &&
      this.#truth.macOf(name) === undefined &&
      !this.#isNameOfEndingRent(name);
    const waiting = this.#truth.hosts.some(isFree) ? this.#truth.machines.filter(isUnserved) : [];
    const late = this.#late('L1', waiting, withinMs);
    return late && `${late.name} has waited longer than ${withinMs / minute} minutes, and a host is free`;
  }

  #unowned(withinMs: number): string | undefined {
    const lost = this.#truth.hosts.filter((host) => this.#isLost(host)).map(({ id }) => ({ uid: id }));
    const late = this.#late('L2', lost, withinMs);
    return late && `${late.uid} has had no owner for longer than ${withinMs / minute} minutes`;
  }

  /** A machine that is called like it owns it only while it has no other: names are given again. */
  #isLost({ id, claimUid, state }: Host): boolean {
    const name = this.#truth.mac(id)?.name ?? usualPoolPrefix;
    if (this.#truth.isForeign(id) || name.startsWith(usualPoolPrefix) || state === 'Terminating')
      return false;
    return !this.#truth.machines.some(
      (machine) =>
        machine.serverId === id ||
        machine.uid === claimUid ||
        (machine.serverId === '' && machine.name === name),
    );
  }

  /** Returns the first item that has been in the list longer than its limit. */
  #late<T extends { readonly uid: string }>(id: string, all: readonly T[], withinMs: number): T | undefined {
    const times = this.#times.get(id) ?? new WaitingTimes(this.#world.clock);
    this.#times.set(id, times);
    const late = times.late(
      all.map(({ uid }) => uid),
      withinMs,
    );
    return all.find(({ uid }) => uid === late);
  }
}
