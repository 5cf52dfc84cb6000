/**
 * The references of a module to other files: imports, re-exports, types, `import()`, and `new URL(…, import.meta.url)`.
 * Paths are resolved here once, like in Node: the suffix must be written out.
 */
import { posix } from 'node:path';
import type { SourceFile } from './source-file.ts';
import { childOf, childrenOf, constantText, memberName, stringOf } from './syntax.ts';
import type { Node } from './syntax.ts';

export interface Reference {
  readonly line: number;
  /** `location` is a file to start or to read; everything else is an import. */
  readonly kind: 'import' | 'location';
  /** As written; undefined when an `import()` computes it. */
  readonly specifier: string | undefined;
  /** The target file, from the root; undefined for a package and for a path without a file. */
  readonly target: string | undefined;
}

export function isRelative(specifier: string): boolean {
  return /^\.{1,2}(\/|$)/.test(specifier);
}

/** `isFile` answers for paths from the root of the tree. */
export function findReferences(file: SourceFile, isFile: (path: string) => boolean): readonly Reference[] {
  const imports = file
    .visitsOf(
      'ImportDeclaration',
      'ExportNamedDeclaration',
      'ExportAllDeclaration',
      'ImportExpression',
      'TSImportType',
    )
    .flatMap(({ node }) => childOf(node, 'source') ?? [])
    .map((source) => ({ source, kind: 'import' as const }));
  const locations = [...file.visitsOf('NewExpression', 'CallExpression')]
    .flatMap(({ node }) => locationIn(node) ?? [])
    .map((source) => ({ source, kind: 'location' as const }));
  return [...imports, ...locations].map(({ source, kind }) => {
    const specifier = constantText(source);
    return { line: file.lineOf(source), kind, specifier, target: resolve(file.path, specifier, isFile) };
  });
}

function resolve(
  from: string,
  specifier: string | undefined,
  isFile: (path: string) => boolean,
): string | undefined {
  if (specifier === undefined || !isRelative(specifier)) return undefined;
  const [path = ''] = specifier.split('?');
  const target = posix.join(posix.dirname(from), path);
  return target.startsWith('../') || !isFile(target) ? undefined : target;
}

/** The path in `new URL('./worker.ts', import.meta.url)` and in `import.meta.resolve('./worker.ts')`. */
function locationIn(node: Node): Node | undefined {
  const callee = childOf(node, 'callee');
  const [first, second] = childrenOf(node, 'arguments');
  if (node.type === 'NewExpression') {
    return stringOf(callee, 'name') === 'URL' && isOfImportMeta(second, 'url') ? first : undefined;
  }
  return isOfImportMeta(callee, 'resolve') ? first : undefined;
}

function isOfImportMeta(node: Node | undefined, name: string): boolean {
  return memberName(node) === name && node !== undefined && childOf(node, 'object')?.type === 'MetaProperty';
}
