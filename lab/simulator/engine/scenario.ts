/** What a scenario is: a world to build, what is done to it, what must hold in it, and what it should come to. */
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
  /** How long things go wrong, unless somebody says otherwise. */
  readonly hours: number;
  /** How long it then has, without faults, to come to rest; work that has gathered has its own time before that. */
  readonly settleMs: number;
  /** Mistakes that can be planted, with what each is: the simulator must find them. */
  readonly bugs: Readonly<Record<string, string>>;
  /** Short stories by name, in the words of scripts. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly kube?: KubeOptions;
  /** What it comes to does not depend on the seed: one run without faults is enough to compare all others with. */
  readonly endsAlike?: boolean;
  /** Called once for each run, before anything happens. */
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
  /** What ought to happen at least once in all runs together; the world is told with `world.sometimes.happened`. */
  readonly premises: readonly string[];
  readonly budgets?: readonly Budget[];
  /** Services beside the Kubernetes API, by name; each process has a link of that name to each. */
  readonly services?: readonly string[];
  /** What people do at the worst moment. */
  readonly acts?: Acts;
  readonly schemaChanges?: Targets['schemaChanges'];
  /** What may stay broken for good while the rest must still come to rest. */
  readonly cores?: Readonly<Record<string, readonly TimedFault[]>>;
  /** After three of these without a write the world counts as still. */
  readonly resyncMs: number;
  /** How long what has gathered takes at the most, asked when the faults stop. */
  backlogMs?(): number;
  /** Must be the same with and without faults. */
  endState(): Json;
  /** What is still missing, or undefined; `core` is what stays broken. */
  missing(core: string | undefined): string | undefined;
  /** What is held beside timers and watches: numbers of objects, rows, servers. */
  held?(): Held;
}
