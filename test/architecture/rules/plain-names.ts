/**
 * Names are words of the field: no metaphor from daily life occurs in a path or in an exported name of the product and
 * the lab. docs/glossary.md has the words to use.
 */
import { basename } from 'node:path';
import type { Complaint, Rule } from '../finding.ts';
import type { SourceFile } from '../source-file.ts';
import { childOf, childrenOf, stringOf, type Node } from '../syntax.ts';

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
  'notebook',
  'hearing',
  'company',
  'wish',
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
      yield* complaints(file, { name: basename(file.path), line: 1, of: 'is named' });
      for (const node of exportedNames(file)) {
        const name = stringOf(node, 'name') ?? '';
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

function exportedNames(file: SourceFile): readonly Node[] {
  return file
    .visitsOf('ExportNamedDeclaration')
    .flatMap(({ node }) => declaredIn(childOf(node, 'declaration')));
}

function declaredIn(declaration: Node | undefined): readonly Node[] {
  if (declaration === undefined) return [];
  return [declaration, ...childrenOf(declaration, 'declarations')].flatMap((declared) => {
    const id = childOf(declared, 'id');
    return id?.type === 'Identifier' ? [id] : [];
  });
}
