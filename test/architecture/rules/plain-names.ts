/**
 * Names are words of the field: no metaphor from daily life occurs in a path or in an exported name of the product and
 * the lab. docs/glossary.md has the words to use.
 */
import type { Complaint, Rule } from '../finding.ts';
import type { SourceFile } from '../source-file.ts';
import { childOf, childrenOf, constantText, stringOf, type Node } from '../syntax.ts';

const refused = new Set([
  'desk',
  'office',
  'ward',
  'sick',
  'stand',
  'stage',
  'scene',
  'theatre',
  'crew',
  'room',
  'book',
  'notebook',
  'meter',
  'hearing',
  'turn',
  'turns',
  'company',
  'wish',
  'leave',
  'news',
  'recall',
  'tell',
  'told',
  'sayings',
  'happening',
  'happenings',
  'hammer',
  'judge',
  'judged',
]);
const remedy = "Use the field's word for it: docs/glossary.md lists the words of this project";

export const plainNames: Rule = {
  id: 'plain-names',
  *check(tree) {
    for (const file of tree.files.filter(({ path }) => /^(src|lab|test|scripts|bench)\//.test(path))) {
      for (const name of file.path.split('/'))
        yield* complaints(file, { name, line: 1, of: 'has in its path' });
      for (const node of exportedNames(file)) {
        const name = stringOf(node, 'name') ?? constantText(node) ?? '';
        yield* complaints(file, { name, line: file.lineOf(node), of: 'exports' });
      }
    }
  },
};

interface Named {
  readonly name: string;
  readonly line: number;
  readonly of: string;
}

function* complaints({ path }: SourceFile, { name, line, of }: Named): Generator<Complaint> {
  const word = wordsOf(name).find((one) => refused.has(one));
  if (word !== undefined) yield { file: path, line, wrong: `${of} ${name}, with the word '${word}'`, remedy };
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** The names that importers of the file see, in each form of an export. */
function exportedNames(file: SourceFile): readonly Node[] {
  const named = file
    .visitsOf('ExportNamedDeclaration')
    .flatMap(({ node }) => [
      ...declaredIn(childOf(node, 'declaration')),
      ...childrenOf(node, 'specifiers').flatMap((one) => childOf(one, 'exported') ?? []),
    ]);
  const others = [
    ...file.visitsOf('ExportDefaultDeclaration').map(({ node }) => idOf(childOf(node, 'declaration'))),
    ...file.visitsOf('ExportAllDeclaration').map(({ node }) => childOf(node, 'exported')),
  ];
  return [...named, ...others.filter((node) => node !== undefined)];
}

function idOf(declaration: Node | undefined): Node | undefined {
  return declaration && childOf(declaration, 'id');
}

function declaredIn(declaration: Node | undefined): readonly Node[] {
  if (declaration === undefined) return [];
  return [declaration, ...childrenOf(declaration, 'declarations')].flatMap((declared) =>
    boundIn(childOf(declared, 'id')),
  );
}

/** The names that a binding pattern binds. */
function boundIn(pattern: Node | undefined): readonly Node[] {
  if (pattern === undefined) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return childrenOf(pattern, 'properties').flatMap((one) =>
        boundIn(one.type === 'RestElement' ? one : childOf(one, 'value')),
      );
    case 'ArrayPattern':
      return childrenOf(pattern, 'elements').flatMap(boundIn);
    case 'AssignmentPattern':
      return boundIn(childOf(pattern, 'left'));
    case 'RestElement':
      return boundIn(childOf(pattern, 'argument'));
    default:
      return [];
  }
}
