/**
 * Faults by plan: rules and situations, decided only by the given clock and random numbers. The same plan, seed and
 * requests give the same faults. A plan starts when it is constructed.
 */
import type { Clock } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import type { Asked } from './asked.ts';
import { canHit, type Fault } from './fault.ts';
import type { Deed, Faults, SchemaChange } from './faults.ts';
import type { PlanFile, Rule } from './plan-file.ts';
import { dropsOf, rulesOf } from './situations.ts';

export interface FaultPlanPorts {
  readonly clock: Pick<Clock, 'now'>;
  /** Use a separate generator, so that faults do not change the numbers that the server draws. */
  readonly random: Random;
  readonly report: (deed: Deed) => void;
}

export class FaultPlan implements Faults {
  readonly changes: readonly SchemaChange[];
  readonly #file: PlanFile;
  readonly #ports: FaultPlanPorts;
  readonly #began: number;
  readonly #rules: readonly RunningRule[];

  constructor(file: PlanFile, ports: FaultPlanPorts) {
    this.#file = file;
    this.#ports = ports;
    this.#began = ports.clock.now();
    const rules = [...file.situations.flatMap(rulesOf), ...file.rules];
    this.#rules = rules.map((rule) => new RunningRule(rule, ports.random));
    this.changes = file.situations
      .filter((situation) => situation.kind === 'schema-change')
      .map(({ atMs, ...change }) => ({ ...change, at: this.#began + atMs }));
  }

  decide(asked: Asked): readonly Fault[] {
    const nowMs = this.#ports.clock.now() - this.#began;
    const decided = this.#rules.filter((rule) => rule.hits(asked, nowMs)).map((rule) => rule.fault);
    return asked.verb === 'watch' ? [...decided, ...dropsOf(this.#file.situations, nowMs)] : decided;
  }

  did(deed: Deed): void {
    this.#ports.report(deed);
  }
}

class RunningRule {
  readonly fault: Fault;
  readonly #rule: Rule;
  readonly #random: Random;
  #matched = 0;
  #hits = 0;

  constructor(rule: Rule, random: Random) {
    this.fault = rule.fault;
    this.#rule = rule;
    this.#random = random;
  }

  hits(asked: Asked, nowMs: number): boolean {
    const { fromMs = 0, untilMs = Number.POSITIVE_INFINITY } = this.#rule.when;
    if (nowMs < fromMs || nowMs >= untilMs || !matches(this.#rule, asked)) return false;
    this.#matched += 1;
    if (!this.#isChosen()) return false;
    this.#hits += 1;
    return true;
  }

  /** Draws a number last, so that a rule that does not match does not affect the numbers of others. */
  #isChosen(): boolean {
    const { nth = this.#matched, atMost = Number.POSITIVE_INFINITY, probability = 1 } = this.#rule.when;
    if (this.#matched !== nth || this.#hits >= atMost) return false;
    return probability === 1 || this.#random.next() < probability;
  }
}

function matches({ match, fault }: Rule, asked: Asked): boolean {
  const has = (list: readonly string[] | undefined, value: string): boolean =>
    list === undefined || list.includes(value);
  return (
    canHit(fault, asked.verb) &&
    has(match.verbs, asked.verb) &&
    has(match.resources, asked.resource) &&
    has(match.namespaces, asked.namespace) &&
    has(match.names, asked.name) &&
    (match.userAgents ?? ['']).some((start) => asked.userAgent.startsWith(start))
  );
}
