/** The summary of a fleet as lines for a screen of 100 columns, and as one line for a log. */
import { checkedInvariants } from '../../hosts/state/invariants.ts';
import { ageText, sinceText } from './ages.ts';
import type { Concern, Summary } from './status-summary.ts';
import { printable } from './table.ts';

const labelWidth = 12;
const widthMax = 100;
const shownMax = 5;

export function statusLines(summary: Summary, now: number): readonly string[] {
  const concerns = (label: string, all: readonly Concern[], more: string): readonly string[] =>
    all.length === 0 ? [] : concernLines({ label, all, more }, now);
  return [
    row('hosts', countsText(summary.hosts)),
    row('machines', countsText(summary.machines)),
    ...concerns('waiting', summary.waiting, 'muster machines'),
    ...concerns('stranded', summary.stranded, 'muster hosts --state Stranded'),
    ...concerns('broken', summary.broken, 'muster hosts --state Broken'),
    ...concerns('quarantined', summary.quarantined, 'muster hosts --state Quarantined'),
    row('manager', leaderText(summary, now)),
    row('last change', changeText(summary, now)),
    row('audit', auditText(summary)),
  ];
}

/** The line must not depend on the time: an equal line means that nothing changed. */
export function statusLine(summary: Summary): string {
  const { hosts, machines, waiting, stranded, leader } = summary;
  const odd = [
    ...(waiting.length === 0 ? [] : [`${waiting.length} waiting: ${waiting[0]?.why ?? ''}`]),
    ...(stranded.length === 0 ? [] : [`${stranded.length} stranded`]),
    ...(leader.kind === 'none' ? ['no manager leads'] : []),
  ];
  const parts = [`hosts ${countsText(hosts)}`, `machines ${countsText(machines)}`, ...odd];
  return printable(
    [...parts, `audit ${summary.findings.length === 0 ? 'holds' : auditText(summary)}`].join('; '),
  );
}

/** A text with its label. */
export interface StatusRow {
  readonly label: string;
  readonly text: string;
}

export function rowLine({ label, text }: StatusRow): string {
  return row(label, text);
}

function row(label: string, text: string): string {
  return cut(`${label.padEnd(labelWidth)} ${printable(text)}`);
}

function cut(line: string): string {
  const letters = Array.from(line);
  return letters.length <= widthMax ? line : `${letters.slice(0, widthMax - 1).join('')}…`;
}

interface Concerns {
  readonly label: string;
  readonly all: readonly Concern[];
  /** The command that shows all of them. */
  readonly more: string;
}

function concernLines({ label, all, more }: Concerns, now: number): readonly string[] {
  const shown = all.slice(0, shownMax);
  const width = Math.min(40, Math.max(...shown.map(({ name }) => name.length)));
  const lines = shown.map(({ name, why, since }) =>
    row('', `${name.padEnd(width)}  ${sinceText(since, now).padEnd(6)} ${why}`),
  );
  const rest = all.length - shown.length;
  return [
    row(label, String(all.length)),
    ...lines,
    ...(rest === 0 ? [] : [row('', `and ${rest} more: ${more}`)]),
  ];
}

function countsText(counts: Summary['hosts']): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return total === 0 ? '0' : `${total}: ${counts.map(({ name, count }) => `${count} ${name}`).join(', ')}`;
}

function leaderText({ leader }: Summary, now: number): string {
  if (leader.kind === 'unknown') return `not known: ${leader.why}`;
  if (leader.kind === 'none') return `none leads: ${leader.why}`;
  return `${leader.who} leads, renewed ${ageText(now - Date.parse(leader.heard))} ago`;
}

function changeText({ lastChange }: Summary, now: number): string {
  return lastChange === undefined
    ? 'no host was reconciled yet'
    : `a host changed its state ${sinceText(lastChange, now)} ago; inventories without changes are not recorded`;
}

function auditText({ findings }: Summary): string {
  const [first] = findings;
  if (first === undefined) return `all hold: ${checkedInvariants.join(', ')}`;
  const more = findings.length === 1 ? '' : ` and ${findings.length - 1} more (muster audit)`;
  return `${first.id} ${first.subject}: ${first.detail}${more}`;
}
