/**
 * Every generated file of the project, as path and content. Building the map reads and writes no generated file, so a
 * check and a write have the same input.
 */
import { stringify } from 'yaml';

import { crd } from '../../src/api/crd/crd.ts';
import { kinds } from '../../src/api/kinds/kinds.ts';
import { openapiDocument } from '../../src/dispatch/api/openapi.ts';
import { chartRules } from './chart-rules.ts';
import { indexPage } from './index-page.ts';
import { kebabCase } from './kebab-case.ts';
import { kindPage } from './kind-page.ts';
import { metricsPage } from './metrics-page.ts';
import { rightsPage } from './rights-page.ts';
import { settingsPage } from './settings-page.ts';
import { vocabularyPage } from './vocabulary-page.ts';

const crdFolder = 'charts/muster/crds';
const rulesFolder = 'charts/muster/templates/generated';
const referenceFolder = 'docs/reference';
const rightsTable = 'src/manager/kube-rights.ts';

/** Folders without other files. */
export const generatedFolders: readonly string[] = [crdFolder, rulesFolder, referenceFolder];

/** Paths are relative to the root of the project. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...kinds.map((kind) => yamlFile(`${crdFolder}/${kind.group}_${kind.plural}.yaml`, crd(kind))),
    [`${rulesFolder}/_rules.tpl`, `{{/* ${notice(rightsTable)} */}}\n${chartRules()}\n`],
    markdownFile(`${referenceFolder}/README.md`, indexPage()),
    ...kinds.map((kind) => markdownFile(`${referenceFolder}/${kebabCase(kind.kind)}.md`, kindPage(kind))),
    markdownFile(`${referenceFolder}/vocabulary.md`, vocabularyPage()),
    markdownFile(`${referenceFolder}/settings.md`, settingsPage(), 'src/platform'),
    markdownFile(`${referenceFolder}/metrics.md`, metricsPage(), 'src/platform'),
    markdownFile(`${referenceFolder}/rights.md`, rightsPage(), rightsTable),
    [`${referenceFolder}/dispatch-openapi.json`, `${JSON.stringify(openapiDocument(), undefined, 2)}\n`],
  ]);
}

function notice(source: string): string {
  return `Generated from ${source}; do not edit. To change it run: npm run generate`;
}

function yamlFile(path: string, content: object): [string, string] {
  const text = stringify(content, { lineWidth: 0 });
  return [path, `# ${notice('src/api/kinds')}\n${text}`];
}

function markdownFile(path: string, content: string, source = 'src/api/kinds'): [string, string] {
  return [path, `<!-- ${notice(source)} -->\n\n${content}\n`];
}
