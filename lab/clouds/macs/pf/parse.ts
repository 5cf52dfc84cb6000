/** Reads a configuration of pf, or the rules of one anchor. The first fault ends it, and nothing is loaded then. */
import { isNetwork } from './addresses.ts';
import { parseFilterRule } from './parse-rule.ts';
import type { AnchorType, Rule, Ruleset, Table } from './ruleset.ts';
import { statementsOf, SyntaxFault, unquoted, Words } from './tokens.ts';

const anchorTypes = [
  'anchor',
  'nat-anchor',
  'rdr-anchor',
  'scrub-anchor',
  'dummynet-anchor',
] as const satisfies readonly AnchorType[];
/** pf refuses a configuration where a later kind of statement stands before an earlier one. */
const order: readonly (readonly string[])[] = [
  ['scrub', 'scrub-anchor'],
  ['nat', 'rdr', 'binat', 'no', 'nat-anchor', 'rdr-anchor'],
  ['dummynet', 'dummynet-anchor'],
  ['pass', 'block', 'anchor'],
];

export function parseRuleset(text: string): Ruleset {
  const found = {
    rules: [] as Rule[],
    tables: [] as Table[],
    loads: [] as { anchor: string; file: string }[],
  };
  const macros = new Map<string, readonly string[]>();
  let reached = 0;
  for (const { line, words: raw } of statementsOf(text)) {
    const [first = '', second] = raw;
    if (second === '=') {
      macros.set(first, expand(raw.slice(2), macros, line));
      continue;
    }
    const words = new Words({ line, words: expand(raw, macros, line) });
    const rank = order.findIndex((kinds) => kinds.includes(first));
    if (rank >= 0 && rank < reached)
      throw words.fault(
        'Rules must be in order: options, normalization, queueing, translation, dummynet, filtering',
      );
    reached = Math.max(reached, rank);
    read(words, found);
  }
  return found;
}

/** A macro in quotes is cut into words again where it is used. */
function expand(
  raw: readonly string[],
  macros: ReadonlyMap<string, readonly string[]>,
  line: number,
): readonly string[] {
  return raw.flatMap((word) => {
    if (!word.startsWith('$')) return [word];
    const value = macros.get(word.slice(1));
    if (value === undefined) throw new SyntaxFault(line, `macro '${word.slice(1)}' not defined`);
    return value.flatMap((part) => statementsOf(unquoted(part)).flatMap(({ words }) => words));
  });
}

interface Found {
  readonly rules: Rule[];
  readonly tables: Table[];
  readonly loads: { anchor: string; file: string }[];
}

function read(words: Words, { rules, tables, loads }: Found): void {
  const { next = '' } = words;
  if (next === 'pass' || next === 'block') rules.push(...parseFilterRule(words));
  else if (next === 'table') tables.push(table(words, tables));
  else if (next === 'load') loads.push(loadAnchor(words));
  else if (next === 'set') words.rest();
  else rules.push(anchorCall(words) ?? translation(words));
}

function anchorCall(words: Words): Rule | undefined {
  const type = words.accept(...anchorTypes);
  if (type === undefined) return undefined;
  const name = unquoted(words.take());
  words.accept('all');
  words.end();
  if (!/^[\w.-]+(\/[\w.-]+)*(\/\*)?$/.test(name)) throw words.fault();
  return { kind: 'anchor', type, name };
}

function loadAnchor(words: Words): { anchor: string; file: string } {
  words.expect('load');
  words.expect('anchor');
  const anchor = unquoted(words.take());
  words.expect('from');
  const file = unquoted(words.take());
  words.end();
  return { anchor, file };
}

function table(words: Words, tables: readonly Table[]): Table {
  words.expect('table');
  const name = words.take();
  if (!/^<.+>$/.test(name)) throw words.fault();
  let isPersistent = false;
  const addresses: string[] = [];
  for (let word = words.next; word !== undefined; word = words.next) {
    if (word === '{') addresses.push(...words.list(() => tableAddress(words)));
    else if (words.accept('persist', 'const', 'counters') === undefined) throw words.fault();
    isPersistent ||= word === 'persist';
  }
  const bare = name.slice(1, -1);
  if (tables.some((other) => other.name === bare))
    throw words.fault(`cannot define table ${bare}: Resource busy`);
  return { name: bare, isPersistent, addresses };
}

function tableAddress(words: Words): string {
  const mark = words.accept('!') ?? '';
  const address = unquoted(words.take());
  if (address !== 'self' && !isNetwork(address)) throw words.fault(`no IP address found for ${address}`);
  return `${mark}${address}`;
}

const translations = ['nat', 'rdr', 'binat', 'scrub', 'dummynet'] as const;

function translation(words: Words): Rule {
  const isExempt = words.accept('no') !== undefined;
  const kind = translations.find((one) => words.accept(one) !== undefined);
  if (kind === undefined) throw words.fault();
  const rest = words
    .rest()
    .replaceAll(/([(!]) /g, '$1')
    .replaceAll(' )', ')');
  const needsTarget = (kind === 'nat' || kind === 'rdr') && !isExempt;
  if (needsTarget && !/ - *> ?\S/.test(rest)) throw words.fault();
  return { kind, text: `${isExempt ? 'no ' : ''}${kind} ${rest.replace(/ - *> ?/, ' -> ')}` };
}
