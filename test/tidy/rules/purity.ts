/**
 * The model, the shared rules and every planner depend on their arguments alone:
 * the same input gives the same decision in a test, in the simulator and in production.
 */
import { isBuiltin } from 'node:module';
import type { Complaint, Rule } from '../finding.ts';
import { findGlobalUses, isBanned } from '../global-use.ts';
import { isRelative } from '../reference.ts';
import { isTest } from '../source-file.ts';
import type { SourceFile } from '../source-file.ts';
import { memberName } from '../syntax.ts';
import { mustBePure, timeAndChance } from '../time-and-chance.ts';
import type { Tree } from '../tree.ts';

const banned = [...timeAndChance, 'console', 'fetch', 'performance', 'process', 'queueMicrotask'];

export const purity: Rule = {
  id: 'purity',
  *check(tree) {
    for (const file of tree.files.filter(({ path }) => mustBePure(path) && !isTest(path))) {
      yield* impureImports(tree, file);
      yield* impureGlobals(file);
      yield* localeCompares(file);
      yield* awaits(file);
    }
  },
};

function* impureImports(tree: Tree, file: SourceFile): Generator<Complaint> {
  for (const { line, specifier } of tree.referencesOf(file)) {
    if (specifier === undefined || isRelative(specifier)) continue;
    const at = { file: file.path, line };
    if (isBuiltin(specifier)) {
      const remedy = 'Move what needs Node to the caller and pass the result in';
      yield { ...at, wrong: `imports ${specifier} and must be pure`, remedy };
    } else if (file.path.startsWith('src/api/') && !/^zod(\/|$)/.test(specifier)) {
      const remedy = 'Keep src/api to zod and its own files; move the rest to the folder that uses it';
      yield { ...at, wrong: `imports the package ${specifier}`, remedy };
    }
  }
}

function* impureGlobals(file: SourceFile): Generator<Complaint> {
  for (const { line, form } of findGlobalUses(file).filter((use) => isBanned(use, banned))) {
    const remedy = 'Take the value as an argument and let the caller read it';
    yield { file: file.path, line, wrong: `uses ${form} and must be pure`, remedy };
  }
}

function* localeCompares(file: SourceFile): Generator<Complaint> {
  for (const { node } of file.visitsOf('MemberExpression')) {
    if (memberName(node) !== 'localeCompare') continue;
    const remedy = 'Compare with < and >, which give the same order on every machine';
    yield { file: file.path, line: file.lineOf(node), wrong: 'sorts by locale', remedy };
  }
}

function* awaits(file: SourceFile): Generator<Complaint> {
  for (const { node } of file.visitsOf('AwaitExpression', 'ForOfStatement', 'VariableDeclaration')) {
    const waits = node.type === 'AwaitExpression' || node['await'] === true || node['kind'] === 'await using';
    if (!waits) continue;
    const remedy = 'Observe first and pass the result in; a pure function is synchronous';
    yield { file: file.path, line: file.lineOf(node), wrong: 'awaits and must be pure', remedy };
  }
}
