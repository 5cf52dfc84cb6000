/** The parts of a configuration of pf. Counters belong to the loaded rules, so that a reload starts them again. */

export interface Endpoint {
  readonly isNegated: boolean;
  /** `any`, `self`, `<table>`, an address or a network in IPv4 or IPv6. */
  readonly address: string;
  readonly port?: PortTest;
}

export interface PortTest {
  readonly from: number;
  readonly to: number;
  /** As pfctl prints it, such as `= 22` or `30000:32767`. */
  readonly text: string;
}

export interface FilterRule {
  readonly kind: 'filter';
  readonly action: 'pass' | 'block';
  /** What follows the action, such as `drop`. */
  readonly manner: string;
  readonly direction: 'in' | 'out' | undefined;
  readonly isQuick: boolean;
  readonly device: { readonly name: string; readonly isNegated: boolean } | undefined;
  readonly family: string | undefined;
  readonly protocol: string | undefined;
  readonly from: Endpoint;
  readonly to: Endpoint;
  /** Of TCP flags: `any`, or such as `S/SA`. */
  readonly flags: string | undefined;
  readonly label: string | undefined;
  /** As `pfctl -s rules` prints it. */
  readonly text: string;
  readonly counters: Counters;
}

export interface Counters {
  evaluations: number;
  packets: number;
}

/** Where rules of an anchor are evaluated. `name` may end in `/*`, which means the anchors right below. */
export interface AnchorCall {
  readonly kind: 'anchor';
  readonly type: AnchorType;
  readonly name: string;
}

export type AnchorType = 'anchor' | 'nat-anchor' | 'rdr-anchor' | 'scrub-anchor' | 'dummynet-anchor';

/** A rule that changes packets. It is kept as text: the traffic of tests is not changed. */
export interface TranslationRule {
  readonly kind: 'nat' | 'rdr' | 'binat' | 'scrub' | 'dummynet';
  readonly text: string;
}

export type Rule = FilterRule | AnchorCall | TranslationRule;

export interface Table {
  readonly name: string;
  readonly isPersistent: boolean;
  readonly addresses: readonly string[];
}

export interface Ruleset {
  readonly rules: readonly Rule[];
  readonly tables: readonly Table[];
  /** Of `load anchor`, in the files that they name. */
  readonly loads: readonly { readonly anchor: string; readonly file: string }[];
}

export const emptyRuleset: Ruleset = { rules: [], tables: [], loads: [] };
