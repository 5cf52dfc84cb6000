/**
 * Keeps each folder to its row of the import table: the imports of a folder decide what a change can break. Static and
 * dynamic imports, re-exports and types all count; a path that cannot be resolved is a fault too.
 */
import type { Complaint, Rule } from '../finding.ts';
import { homeOf, mayImport, packageHomes, rowOf, shellOnlyFolder, testsAlsoImport } from '../import-table.ts';
import { isRelative } from '../reference.ts';
import type { Reference } from '../reference.ts';
import { isModule, isTest } from '../source-file.ts';
import type { SourceFile } from '../source-file.ts';
import type { Tree } from '../tree.ts';

type Fault = Pick<Complaint, 'wrong' | 'remedy'>;

export const importWall: Rule = {
  id: 'import-wall',
  *check(tree) {
    yield* unknownFolders(tree);
    for (const file of tree.files.filter(({ path }) => isModule(path))) {
      if (file.path.startsWith(`${shellOnlyFolder}/`)) yield shellOnly(file);
      for (const reference of tree.referencesOf(file)) {
        const fault =
          pathFault(file.path, reference) ??
          packageFault(file.path, reference) ??
          wallFault(file.path, reference);
        if (fault !== undefined) yield { file: file.path, line: reference.line, ...fault };
      }
    }
  },
};

/** Every file of the product and of the lab belongs to a row. */
function* unknownFolders(tree: Tree): Generator<Complaint> {
  const homeless = tree.files.filter(({ path }) => /^(src|lab)\//.test(path) && rowOf(path) === undefined);
  for (const file of new Set(homeless.map(({ path }) => path.split('/').slice(0, 2).join('/')))) {
    const remedy =
      'Add the folder to test/architecture/import-table.ts and to the table in ARCHITECTURE.md, or move the code into a folder that has a row';
    yield { file, line: 1, wrong: 'has no row in the import table', remedy };
  }
}

function shellOnly(file: SourceFile): Complaint {
  return {
    file: file.path,
    line: 1,
    wrong: `is a module, and ${shellOnlyFolder} runs where there is only a shell`,
    remedy: 'Write it as a shell script; put its test under test',
  };
}

function pathFault(from: string, { kind, specifier, target }: Reference): Fault | undefined {
  if (kind === 'location') return undefined;
  if (specifier === undefined) return rowOf(from) === undefined ? undefined : computedFault;
  if (/^([#/]|file:)/.test(specifier))
    return { wrong: `imports '${specifier}' by an alias or an absolute path`, ...relativeRemedy };
  if (!isRelative(specifier) || target !== undefined) return undefined;
  return { wrong: `imports '${specifier}', which is not a file of this project`, ...relativeRemedy };
}

/** Tests are no exception: a test that needs such a package depends on too much. */
function packageFault(from: string, { specifier = '' }: Reference): Fault | undefined {
  for (const [start, home] of packageHomes) {
    if (!specifier.startsWith(start) || from.startsWith(home)) continue;
    return {
      wrong: `imports '${specifier}', which only ${home} may know`,
      remedy: 'Move the code there, or speak to the port instead',
    };
  }
  return undefined;
}

const relativeRemedy = { remedy: "Write the relative path of a file with its suffix, such as './clock.ts'" };

const computedFault: Fault = {
  wrong: 'computes the path of an import(), so no wall can be checked',
  remedy: 'Write the path as a plain string',
};

function wallFault(from: string, { kind, target }: Reference): Fault | undefined {
  const row = rowOf(from);
  if (row === undefined || target === undefined) return undefined;
  if (kind === 'location' && !isModule(target)) return undefined;
  if (homeOf(target) === homeOf(from)) return undefined;
  const entries = isTest(from) ? [...row.mayImport, ...testsAlsoImport] : row.mayImport;
  return mayImport(entries, target) ? undefined : crossed(from, target, entries);
}

function crossed(from: string, target: string, entries: readonly string[]): Fault {
  const list = entries.length === 0 ? 'nothing of ours' : `only ${entries.join(', ')}`;
  return {
    wrong: `imports ${target}, and beside itself ${homeOf(from)} may import ${list}`,
    remedy: 'Move the shared part into a folder both may import, or pass it in as an argument',
  };
}
