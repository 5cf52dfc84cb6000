/**
 * Checks that a tree follows the rules of the project. Each file is read and parsed once; each rule then runs on the
 * whole tree.
 */
import { inOrder, toFinding } from './finding.ts';
import type { Finding, Rule } from './finding.ts';
import type { GeneratedFiles } from './generated-files.ts';
import { emptyCatch } from './rules/empty-catch.ts';
import { fileComment } from './rules/file-comment.ts';
import { fileName } from './rules/file-name.ts';
import { fileSize } from './rules/file-size.ts';
import { functionSize } from './rules/function-size.ts';
import { generated } from './rules/generated.ts';
import { importCycle } from './rules/import-cycle.ts';
import { importWall } from './rules/import-wall.ts';
import { parse } from './rules/parse.ts';
import { plainNames } from './rules/plain-names.ts';
import { ports } from './rules/ports.ts';
import { purity } from './rules/purity.ts';
import { testHonesty } from './rules/test-honesty.ts';
import { unusedFile } from './rules/unused-file.ts';
import { readTree } from './tree.ts';

export interface Options {
  /** Turns on the rule `generated`. */
  readonly generated?: GeneratedFiles;
  /** Only these rules; all of them when left out. */
  readonly rules?: readonly string[];
}

const standingRules: readonly Rule[] = [
  emptyCatch,
  fileComment,
  fileName,
  fileSize,
  functionSize,
  importCycle,
  importWall,
  parse,
  plainNames,
  ports,
  purity,
  testHonesty,
  unusedFile,
];

export function checkTree(root: string, options: Options = {}): readonly Finding[] {
  const tree = readTree(root);
  const rules = [
    ...standingRules,
    ...(options.generated === undefined ? [] : [generated(options.generated)]),
  ];
  const findings = rules
    .filter((rule) => options.rules?.includes(rule.id) ?? true)
    .flatMap((rule) => Array.from(rule.check(tree), (complaint) => toFinding(rule.id, complaint)));
  return inOrder(findings);
}
