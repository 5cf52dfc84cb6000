/** pfctl: loads, shows and flushes the rules of a simulated Mac, with the texts of macOS (spec/host.md A6.10, A12). */
import { readFileSync } from 'node:fs';
import { failed, type Call, type Reply } from '../command-socket.ts';
import { hostPath } from '../disk.ts';
import { isNetwork } from './addresses.ts';
import { isNat, mainScope, type PacketFilter } from './packet-filter.ts';
import { parseRuleset } from './parse.ts';
import { parseOptions, unabbreviated, type PfctlOptions } from './pfctl-options.ts';
import type { Rule, Ruleset, Table } from './ruleset.ts';
import { SyntaxFault } from './tokens.ts';

export interface PfctlPorts {
  readonly root: string;
  readonly filter: PacketFilter;
  readonly note: (what: string) => void;
}

const altq = 'No ALTQ support in kernel\nALTQ related functions disabled\n';
const flushWarning =
  'pfctl: Use of -f option, could result in flushing of rules\npresent in the main ruleset added by the system at startup.\nSee /etc/pf.conf for further details.\n\n';

/** Ends pfctl with this text. */
class Refusal extends Error {}

interface Job extends PfctlPorts {
  readonly call: Call;
  readonly options: PfctlOptions;
  readonly out: string[];
  readonly err: string[];
}

export function pfctl(call: Call, ports: PfctlPorts): Reply {
  const options = parseOptions(call.args);
  if (options === undefined || call.args.length === 0)
    return failed(1, 'usage: pfctl [-AdeghmNnOqRrvz] [-a anchor] …');
  if (call.user !== 'root') return failed(1, 'pfctl: /dev/pf: Permission denied');
  const job: Job = { ...ports, call, options, out: [], err: [altq] };
  try {
    perform(job);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { exit: 1, stdout: job.out.join(''), stderr: `${job.err.join('')}${error.message}\n` };
  }
  return { exit: 0, stdout: job.out.join(''), stderr: job.err.join('') };
}

/** In the order in which pfctl does what one command line asks for. */
function perform(job: Job): void {
  const { options, filter } = job;
  const { flags, values } = options;
  if (flags.has('d')) turnOff(job);
  for (const [option, act] of actions) {
    const value = values.get(option);
    if (value !== undefined) act(job, value);
  }
  const token = values.get('X');
  if (token !== undefined && !filter.tokens.delete(token))
    throw new Refusal('pfctl: failed to release token');
  if (flags.has('e') || flags.has('E')) turnOn(job);
}

const actions = [
  ['s', show],
  ['F', flush],
  ['T', changeTable],
  ['f', load],
] as const;

function turnOff({ filter, err, note }: Job): void {
  if (!filter.isOn) throw new Refusal('pfctl: pf not enabled');
  filter.tokens.clear();
  note('-d');
  err.push('pf disabled\n');
}

function turnOn({ filter, options, err, note }: Job): void {
  if (options.flags.has('e') && filter.isOn) throw new Refusal('pfctl: pf already enabled');
  const wasOn = filter.isOn;
  const token = filter.turnOn();
  note(options.flags.has('E') ? '-E' : '-e');
  err.push(wasOn ? 'pf already enabled\n' : 'pf enabled\n');
  if (options.flags.has('E')) err.push(`Token : ${token}\n`);
}

function load(job: Job, file: string): void {
  const { filter, options, err, note, out } = job;
  const { anchor, flags } = options;
  if (anchor === mainScope) err.push(flushWarning);
  const rulesets = new Map<string, Ruleset>();
  addRuleset(job, { scope: anchor, file, into: rulesets });
  if (flags.has('v'))
    out.push(...rulesText(rulesets.get(anchor)?.rules ?? [], job).map((line) => `${line}\n`));
  if (flags.has('n')) return;
  const busy = filter.load(rulesets);
  if (busy !== undefined) fault(job, `${file}: cannot define table ${busy}: Resource busy`);
  note(anchor === mainScope ? `-f ${withoutRoot(job, file)}` : `-a ${anchor} -f ${withoutRoot(job, file)}`);
}

function addRuleset(job: Job, order: { scope: string; file: string; into: Map<string, Ruleset> }): void {
  const { scope, file, into } = order;
  const ruleset = parsed(job, file);
  into.set(scope, ruleset);
  for (const { anchor, file: inner } of ruleset.loads)
    addRuleset(job, { scope: scope === mainScope ? anchor : `${scope}/${anchor}`, file: inner, into });
}

function parsed(job: Job, file: string): Ruleset {
  try {
    return parseRuleset(contentOf(job, file));
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    return fault(job, `${file === '-' ? 'stdin' : file}:${error.line}: ${error.message}`);
  }
}

function contentOf({ root, call }: Job, file: string): string {
  if (file === '-') return call.stdin;
  try {
    return readFileSync(hostPath(root, file, call.cwd), 'utf8');
  } catch {
    throw new Refusal(`pfctl: ${file}: No such file or directory`);
  }
}

function fault(job: Job, text: string): never {
  job.err.push(`${text}\n`);
  throw new Refusal('pfctl: Syntax error in config file: pf rules not loaded');
}

const shownParts = [
  'nat',
  'rules',
  'Anchors',
  'info',
  'labels',
  'Tables',
  'states',
  'References',
  'all',
] as const;

function show(job: Job, text: string): void {
  const { filter, options, out } = job;
  const { anchor } = options;
  const part = unabbreviated(text, shownParts);
  if (part === undefined) throw new Refusal(`pfctl: Unknown show modifier '${text}'`);
  const rules = filter.rules(anchor);
  const lines: Readonly<Record<(typeof shownParts)[number], () => readonly string[]>> = {
    rules: () =>
      rulesText(
        rules.filter((rule) => !isNat(rule)),
        job,
      ),
    nat: () => rulesText(rules.filter(isNat), job),
    labels: () => labelsText(rules),
    info: () => [`Status: ${filter.isOn ? 'Enabled' : 'Disabled'} for 0 days 00:00:01`],
    Anchors: () => filter.anchors.filter((name) => isRightBelow(name, anchor)).map((name) => `  ${name}`),
    Tables: () => [...filter.tables(anchor).keys()],
    References: () => [...filter.tokens],
    states: () => [],
    all: () => rulesText(rules, job),
  };
  out.push(...lines[part]().map((line) => `${line}\n`));
}

function isRightBelow(name: string, anchor: string): boolean {
  const parent = anchor === mainScope ? '' : `${anchor}/`;
  return name.startsWith(parent) && !name.slice(parent.length).includes('/');
}

function rulesText(rules: readonly Rule[], { options }: Job): readonly string[] {
  return rules.flatMap((rule) => {
    if (rule.kind === 'anchor') return [`${rule.type} "${rule.name}" all`];
    if (rule.kind !== 'filter') return [rule.text];
    const { evaluations, packets } = rule.counters;
    if (!options.flags.has('v')) return [rule.text];
    const counts = `Evaluations: ${pad(evaluations)}  Packets: ${pad(packets)}  Bytes: ${pad(packets * 64)}  States: 0     `;
    return [rule.text, `  [ ${counts} ]`, '  [ Inserted: uid 0 pid 1 ]'];
  });
}

function pad(count: number): string {
  return String(count).padEnd(8);
}

/** Label, evaluations, packets, bytes; then packets and bytes in and out, and states. */
function labelsText(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap((rule) => {
    if (rule.kind !== 'filter' || rule.label === undefined) return [];
    const { evaluations, packets } = rule.counters;
    const traffic = rule.direction === 'in' ? [packets, packets * 64, 0, 0] : [0, 0, packets, packets * 64];
    return [[rule.label, evaluations, packets, packets * 64, ...traffic, 0].join(' ')];
  });
}

const flushedParts = ['nat', 'rules', 'info', 'Sources', 'states', 'Tables', 'osfp', 'all'] as const;

function flush(job: Job, text: string): void {
  const { filter, options, err, note } = job;
  const part = unabbreviated(text, flushedParts);
  if (part === undefined) throw new Refusal(`pfctl: Unknown flush modifier '${text}'`);
  if (part === 'rules' || part === 'nat' || part === 'all') filter.flush(options.anchor, part);
  note(`${options.anchor === mainScope ? '' : `-a ${options.anchor} `}-F ${part}`);
  err.push(
    part === 'all'
      ? 'rules cleared\nnat cleared\ndummynet cleared\n0 tables deleted.\n'
      : `${part} cleared\n`,
  );
}

function changeTable(job: Job, command: string): void {
  const { filter, options, out, err, note } = job;
  const name = options.values.get('t');
  if (name === undefined) throw new Refusal('usage: pfctl -t table -T command [address ...]');
  const scope = options.anchor;
  const table = filter.tables(scope).get(name);
  if (command === 'kill') {
    if (!filter.killTable(scope, name)) throw new Refusal('pfctl: Table does not exist.');
    note(`${scope === mainScope ? '' : `-a ${scope} `}-t ${name} -T kill`);
    err.push('1 table deleted.\n');
  } else if (command === 'show') {
    if (table === undefined) throw new Refusal('pfctl: Table does not exist.');
    out.push(...table.addresses.map((address) => `   ${address}\n`));
  } else changeAddresses(job, command, table ?? { name, isPersistent: true, addresses: [] });
}

/** A table that `-T add` makes persists. */
function changeAddresses(job: Job, command: string, table: Table): void {
  const { filter, options, err, note } = job;
  const { rest, anchor: scope } = options;
  const wrong = rest.find((address) => !isNetwork(address));
  if (wrong !== undefined) throw new Refusal(`pfctl: no IP address found for ${wrong}`);
  const others = table.addresses.filter((address) => !rest.includes(address));
  const next = new Map([
    ['add', [...others, ...rest]],
    ['delete', others],
    ['replace', rest],
  ]).get(command);
  if (next === undefined) throw new Refusal(`pfctl: Unknown table command '${command}'`);
  filter.setTable(scope, { ...table, addresses: next });
  note(`${scope === mainScope ? '' : `-a ${scope} `}-t ${table.name} -T ${command}`);
  err.push(`${Math.abs(next.length - table.addresses.length)}/${rest.length} addresses changed.\n`);
}

/** As on a real Mac: without the folder that the disk of the simulated Mac is. */
function withoutRoot({ root }: Job, file: string): string {
  return file.startsWith(root) ? file.slice(root.length) : file;
}
