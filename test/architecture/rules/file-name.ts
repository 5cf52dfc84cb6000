/**
 * File names are kebab-case, and no name only says "various things". Components of the dashboard may be PascalCase,
 * after their component.
 */
import { basename, dirname } from 'node:path';
import type { Complaint, Rule } from '../finding.ts';

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const pascal = /^([A-Z][a-z0-9]*)+$/;
const emptyNames = new Set(['utils', 'helpers', 'common', 'misc', 'types']);
const remedy = 'Rename it in kebab-case after its main export or the one idea it holds';

export const fileName: Rule = {
  id: 'file-name',
  *check(tree) {
    const paths = tree.files
      .map((file) => file.path)
      .filter((path) => /^(src|lab|test|scripts|dashboard)\//.test(path));
    for (const path of paths) yield* evaluate(path, basename(path).split('.'));
    for (const folder of foldersOf(paths)) yield* evaluate(folder, [basename(folder)]);
  },
};

function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders];
}

function* evaluate(path: string, parts: readonly string[]): Generator<Complaint> {
  const [stem = ''] = parts;
  const isComponent = path.startsWith('dashboard/') && path.endsWith('.tsx');
  if (emptyNames.has(stem))
    yield { file: path, line: 1, wrong: `is called ${stem}, which says nothing about it`, remedy };
  const isAllowed = (part: string): boolean => kebab.test(part) || (isComponent && pascal.test(part));
  if (!parts.every(isAllowed)) yield { file: path, line: 1, wrong: 'is not named in kebab-case', remedy };
}
