/**
 * A finding of a rule, as the reader sees it. A rule must name both the fault and the remedy, so that every finding has
 * a next step.
 */
import type { Tree } from './tree.ts';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

export interface Complaint {
  readonly file: string;
  readonly line: number;
  /** Continues a sentence that starts with the file: "imports src/bin/muster.ts". */
  readonly wrong: string;
  /** An instruction: "Move the shared part into src/hosts/state". */
  readonly remedy: string;
}

export interface Rule {
  readonly id: string;
  readonly check: (tree: Tree) => Iterable<Complaint>;
}

export function toFinding(rule: string, complaint: Complaint): Finding {
  const { file, line, wrong, remedy } = complaint;
  return { file, line, rule, message: `${file} ${wrong}. ${remedy}.` };
}

/** By file, line, rule, message; by code unit, so that every machine prints the same order. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (a, b) =>
      compare(a.file, b.file) || a.line - b.line || compare(a.rule, b.rule) || compare(a.message, b.message),
  );
}

export function formatFinding(finding: Finding): string {
  return `${finding.file}:${finding.line} ${finding.rule}: ${finding.message}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
