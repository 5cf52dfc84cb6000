/** A scenario: a world to build, the actions on it, its invariants, and its expected end. */
import type { Json } from '../../../src/embedded/kubernetes-api/json.ts';
import type { Acts } from '../faults/fault-injector.ts';
import type { KubeOptions } from '../world/kube-service.ts';
import type { Budget } from '../checkers/budgets.ts';
import type { Invariant } from '../checkers/invariant.ts';
import type { Held } from '../checkers/leaks.ts';
import type { Targets, TimedFault } from '../faults/timed-fault.ts';
import type { World } from '../world/world.ts';

export interface Scenario {
  readonly name: string;
  readonly says: string;
  /** The default number of hours with faults. */
  readonly hours: number;
  /** The time to settle without faults; the backlog has its own time before that. */
  readonly settleMs: number;
  /** Deliberate mistakes that can be planted, each with a description: the simulator must find them. */
  readonly bugs: Readonly<Record<string, string>>;
  /** Short stories by name, in the language of scripts. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly kube?: KubeOptions;
  /** The end state does not depend on the seed: one run without faults is enough to compare all others with. */
  readonly endsAlike?: boolean;
  /** Called once per run, before any event. */
  build(world: World, setting: Setting): ScenarioSetup;
}

export interface Setting {
  readonly bug: string | undefined;
  /** When the workload should have ended. */
  readonly forMs: number;
}

/** A scenario that was built into a world. */
export interface ScenarioSetup {
  readonly invariants: readonly Invariant[];
  /**
   * Premises that must hold at least once in all runs together; the scenario reports them with
   * `world.reachability.happened`.
   */
  readonly premises: readonly string[];
  readonly budgets?: readonly Budget[];
  /** Services beside the Kubernetes API, by name; each process has a link of that name to each service. */
  readonly services?: readonly string[];
  /** Actions of people at the worst moment. */
  readonly acts?: Acts;
  readonly schemaChanges?: Targets['schemaChanges'];
  /** Faults that may stay for good while the rest must still settle. */
  readonly cores?: Readonly<Record<string, readonly TimedFault[]>>;
  /** The world counts as still after three of these intervals without a write. */
  readonly resyncMs: number;
  /** The longest time that the backlog can take, read when the faults stop. */
  backlogMs?(): number;
  /** Must be equal with and without faults. */
  endState(): Json;
  /** What is still missing, or undefined; `core` names the permanent fault. */
  missing(core: string | undefined): string | undefined;
  /** What is held beside timers and watches: numbers of objects, rows, servers. */
  held?(): Held;
}
