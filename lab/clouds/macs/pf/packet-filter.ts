/**
 * pf of a simulated Mac as the kernel holds it: the main rules, the anchors, the tables of each, and whether it is on. A load
 * succeeds as a whole or changes nothing.
 */
import { isMatch, type Packet } from './match.ts';
import {
  emptyRuleset,
  type AnchorCall,
  type FilterRule,
  type Rule,
  type Ruleset,
  type Table,
} from './ruleset.ts';

/** The scope of the main rules; anchors have their names, such as `com.apple/muster`. */
export const mainScope = '';

interface Verdict {
  readonly rule: FilterRule | undefined;
  readonly isFinal: boolean;
}

export class PacketFilter {
  /** Each `pfctl -E` holds pf on with a token of its own. */
  readonly tokens = new Set<string>();
  readonly #rules = new Map<string, readonly Rule[]>();
  readonly #tables = new Map<string, Map<string, Table>>();
  #tokensMade = 0;

  get isOn(): boolean {
    return this.tokens.size > 0;
  }

  turnOn(): string {
    this.#tokensMade += 1;
    const token = String(12_345_000_000_000 + this.#tokensMade);
    this.tokens.add(token);
    return token;
  }

  rules(scope: string): readonly Rule[] {
    return this.#rules.get(scope) ?? [];
  }

  get anchors(): readonly string[] {
    return [...this.#rules.keys()].filter((scope) => scope !== mainScope).toSorted();
  }

  tables(scope: string): ReadonlyMap<string, Table> {
    return this.#tables.get(scope) ?? new Map();
  }

  /** Returns the name of a table that cannot be defined, and loads nothing then. */
  load(rulesets: ReadonlyMap<string, Ruleset>): string | undefined {
    for (const [scope, { tables }] of rulesets) {
      const busy = tables.find(({ name }) => this.#isBusy(scope, name));
      if (busy !== undefined) return busy.name;
    }
    for (const [scope, ruleset] of rulesets) this.#replace(scope, ruleset);
    return undefined;
  }

  /** Tables that persist stay, as they do in the kernel: spec/host.md A6.10. */
  flush(scope: string, parts: 'rules' | 'nat' | 'all'): void {
    const kept = this.rules(scope).filter((rule) => isNat(rule) !== (parts === 'nat'));
    if (parts === 'all') this.#replace(scope, emptyRuleset);
    else this.#rules.set(scope, kept);
  }

  killTable(scope: string, name: string): boolean {
    return this.#tables.get(scope)?.delete(name) ?? false;
  }

  setTable(scope: string, table: Table): void {
    const tables = this.#tables.get(scope) ?? new Map<string, Table>();
    this.#tables.set(scope, tables.set(table.name, table));
  }

  /** As after a boot. */
  clear(): void {
    this.#rules.clear();
    this.#tables.clear();
    this.tokens.clear();
  }

  /** Whether the packet passes. Only the rule that decides counts it. */
  passes(packet: Packet): boolean {
    if (!this.isOn) return true;
    const { rule } = this.#evaluate(mainScope, packet, { rule: undefined, isFinal: false });
    if (rule === undefined) return true;
    rule.counters.packets += 1;
    return rule.action === 'pass';
  }

  /** A persistent table at the main scope is in the way of every anchor, too. */
  #isBusy(scope: string, name: string): boolean {
    return [scope, mainScope].some((one) => this.tables(one).get(name)?.isPersistent === true);
  }

  #replace(scope: string, { rules, tables }: Ruleset): void {
    this.#rules.set(scope, rules);
    const kept = [...this.tables(scope)].filter(([, { isPersistent }]) => isPersistent);
    this.#tables.set(scope, new Map([...kept, ...tables.map((table) => [table.name, table] as const)]));
  }

  /** The last match decides, unless a rule with `quick` matches before. */
  #evaluate(scope: string, packet: Packet, before: Verdict): Verdict {
    let verdict = before;
    for (const rule of this.rules(scope)) {
      if (rule.kind === 'anchor' && rule.type === 'anchor')
        for (const inner of this.#called(scope, rule))
          verdict = verdict.isFinal ? verdict : this.#evaluate(inner, packet, verdict);
      else if (rule.kind === 'filter' && this.#isMatch(rule, scope, packet))
        verdict = { rule, isFinal: rule.isQuick };
      if (verdict.isFinal) return verdict;
    }
    return verdict;
  }

  #isMatch(rule: FilterRule, scope: string, packet: Packet): boolean {
    rule.counters.evaluations += 1;
    return isMatch(rule, packet, (name) => this.tables(scope).get(name) ?? this.tables(mainScope).get(name));
  }

  /** `x/*` means the anchors right below x, and not x itself. */
  #called(scope: string, { name }: AnchorCall): readonly string[] {
    const full = scope === mainScope ? name : `${scope}/${name}`;
    if (!full.endsWith('/*')) return [full];
    const parent = full.slice(0, -1);
    return this.anchors.filter(
      (anchor) => anchor.startsWith(parent) && !anchor.slice(parent.length).includes('/'),
    );
  }
}

export function isNat(rule: Rule): boolean {
  return rule.kind === 'anchor'
    ? rule.type === 'nat-anchor' || rule.type === 'rdr-anchor'
    : /^(nat|rdr|binat)$/.test(rule.kind);
}
