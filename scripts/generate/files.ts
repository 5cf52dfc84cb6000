/**
 * Every generated file of the project, as path and whole content. Building the map touches no file, so a check and a
 * write see exactly the same thing.
 */
import { stringify } from 'yaml';

import { crd } from '../../src/api/crd.ts';
import { kinds } from '../../src/api/kinds.ts';
import { indexPage } from './index-page.ts';
import { kebabCase } from './kebab-case.ts';
import { kindPage } from './kind-page.ts';
import { vocabularyPage } from './vocabulary-page.ts';

const crdFolder = 'charts/muster/crds';
const referenceFolder = 'docs/reference';

/** Folders in which no other file may stand. */
export const generatedFolders: readonly string[] = [crdFolder, referenceFolder];

/** Paths are relative to the root of the project. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...kinds.map((kind) => yamlFile(`${crdFolder}/${kind.group}_${kind.plural}.yaml`, crd(kind))),
    markdownFile(`${referenceFolder}/README.md`, indexPage()),
    ...kinds.map((kind) => markdownFile(`${referenceFolder}/${kebabCase(kind.kind)}.md`, kindPage(kind))),
    markdownFile(`${referenceFolder}/vocabulary.md`, vocabularyPage()),
  ]);
}

const notice = 'Generated from src/api; do not edit. To change it run: npm run generate';

function yamlFile(path: string, content: object): [string, string] {
  const text = stringify(content, { lineWidth: 0 });
  return [path, `# ${notice}\n${text}`];
}

function markdownFile(path: string, content: string): [string, string] {
  return [path, `<!-- ${notice} -->\n\n${content}\n`];
}
