/**
 * Finds state of a module that survives a call: `let` and `var` at its top level, and changes through a name declared
 * there (`seen.add(…)`, `limits.size = 2`). Does not see a change through a second name, through a function that
 * received the value, by destructuring, or of a variable in a closure.
 */
import { memberChain } from './member-chain.ts';
import { declaringScope } from './scope.ts';
import type { SourceFile } from './source-file.ts';
import { childOf, childrenOf, stringOf } from './syntax.ts';
import type { Visit } from './syntax.ts';

export interface ModuleState {
  readonly line: number;
  /** Continues a sentence that starts with the file. */
  readonly wrong: string;
}

export function findModuleState(file: SourceFile): readonly ModuleState[] {
  const imported = importedNames(file);
  const declared = file.visitsOf('VariableDeclaration').filter(isModuleVariable);
  const changed = file.visitsOf('Identifier').filter((visit) => isChangedInPlace(visit, imported));
  return [
    ...declared.map(({ node }) => ({
      line: file.lineOf(node),
      wrong: `declares a module variable with ${stringOf(node, 'kind')}`,
    })),
    ...changed.map(({ node }) => ({
      line: file.lineOf(node),
      wrong: `changes ${stringOf(node, 'name')}, which outlives the call`,
    })),
  ];
}

function isModuleVariable({ node, parent }: Visit): boolean {
  const holder = parent?.node.type === 'ExportNamedDeclaration' ? parent.parent : parent;
  const varies = node['kind'] === 'let' || node['kind'] === 'var';
  return varies && node['declare'] !== true && holder?.node.type === 'Program';
}

function importedNames(file: SourceFile): ReadonlySet<string | undefined> {
  return new Set(
    file
      .visitsOf('ImportDeclaration')
      .flatMap(({ node }) => childrenOf(node, 'specifiers'))
      .map((specifier) => stringOf(childOf(specifier, 'local'), 'name')),
  );
}

const changingMethods = new Set([
  'add',
  'clear',
  'copyWithin',
  'delete',
  'fill',
  'pop',
  'push',
  'reverse',
  'set',
  'shift',
  'sort',
  'splice',
  'unshift',
]);

function isChangedInPlace(visit: Visit, imported: ReadonlySet<string | undefined>): boolean {
  const { members, top } = memberChain(visit);
  const last = members.at(-1);
  if (last === undefined) return false;
  const name = stringOf(visit.node, 'name') ?? '';
  // `z.set(…)` of an imported library builds a value, so only our own names count for methods.
  const isChange = isTarget(top) || (isCallee(top) && changingMethods.has(last) && !imported.has(name));
  return isChange && declaringScope(visit, name)?.type === 'Program';
}

function isCallee({ key, parent }: Visit): boolean {
  return key === 'callee' && parent?.node.type === 'CallExpression';
}

/** `a.b = 1`, `a.b += 1`, `a.b++` and `delete a.b`. */
function isTarget({ key, parent }: Visit): boolean {
  if (parent?.node.type === 'AssignmentExpression') return key === 'left';
  if (parent?.node.type === 'UnaryExpression') return stringOf(parent.node, 'operator') === 'delete';
  return parent?.node.type === 'UpdateExpression';
}
