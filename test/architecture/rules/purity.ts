/**
 * The model, the shared rules and every planner depend on their arguments alone:
 * the same input gives the same decision in a test, in the simulator and in production.
 */
import { isBuiltin } from 'node:module';
import type { Complaint, Rule } from '../finding.ts';
import { findGlobalUses, globalObjects, isBanned } from '../global-use.ts';
import { findModuleState } from '../module-state.ts';
import { isRelative } from '../reference.ts';
import { isTest } from '../source-file.ts';
import type { SourceFile } from '../source-file.ts';
import { childOf, memberName, stringOf } from '../syntax.ts';
import { mustBePure, timeAndChance } from '../time-and-chance.ts';
import type { Tree } from '../tree.ts';

const banned = [
  ...timeAndChance,
  'FinalizationRegistry',
  'Function()',
  'Intl',
  'WeakRef',
  'console',
  'eval',
  'fetch',
  'new Function()',
  'new Function(…)',
  'performance',
  'process',
  'queueMicrotask',
  'require',
];

export const purity: Rule = {
  id: 'purity',
  *check(tree) {
    for (const file of tree.files.filter(({ path }) => mustBePure(path) && !isTest(path))) {
      yield* impureImports(tree, file);
      yield* impureGlobals(file);
      yield* importMetas(file);
      yield* localeUses(file);
      yield* moduleState(file);
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
  const remedy = 'Take the value as an argument and let the caller read it';
  for (const use of findGlobalUses(file)) {
    const isOfGlobalObject = globalObjects.has(use.root);
    if (!isOfGlobalObject && !isBanned(use, banned)) continue;
    const name = isOfGlobalObject ? use.root : use.form;
    yield { file: file.path, line: use.line, wrong: `uses ${name} and must be pure`, remedy };
  }
}

function* importMetas(file: SourceFile): Generator<Complaint> {
  for (const { node } of file.visitsOf('MetaProperty')) {
    if (stringOf(childOf(node, 'meta'), 'name') !== 'import') continue;
    const remedy = 'Take the place of the file as an argument and let the caller find it';
    yield { file: file.path, line: file.lineOf(node), wrong: 'uses import.meta and must be pure', remedy };
  }
}

function* localeUses(file: SourceFile): Generator<Complaint> {
  for (const { node } of file.visitsOf('MemberExpression')) {
    const at = { file: file.path, line: file.lineOf(node) };
    const name = memberName(node) ?? '';
    if (name === 'localeCompare') {
      const remedy = 'Compare with < and >, which give the same order on every machine';
      yield { ...at, wrong: 'sorts by locale', remedy };
    } else if (name.startsWith('toLocale')) {
      const remedy = 'Use String, toISOString or toLowerCase, which give the same text on every machine';
      yield { ...at, wrong: `writes by locale with ${name}`, remedy };
    }
  }
}

function* moduleState(file: SourceFile): Generator<Complaint> {
  for (const { line, wrong } of findModuleState(file)) {
    const remedy = 'Take the state as an argument and return the changed copy';
    yield { file: file.path, line, wrong, remedy };
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
