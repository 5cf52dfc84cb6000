import { dirname, join } from 'node:path/posix';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { annotations } from '../../src/api/names/annotations.ts';
import { conditionTypes } from '../../src/api/conditions/conditions.ts';
import { crd, fieldsSchema } from '../../src/api/crd/crd.ts';
import { finalizers } from '../../src/api/names/finalizers.ts';
import { kinds } from '../../src/api/kinds/kinds.ts';
import { labels } from '../../src/api/names/labels.ts';
import { reasons } from '../../src/api/conditions/reasons.ts';
import { schemaFields } from '../../src/api/crd/schema-fields.ts';
import { metricCatalogue } from './metric-catalogue.ts';
import { managerSettings } from '../../src/manager/manager-settings.ts';
import { flagOf, variableOf } from '../../src/platform/settings/setting.ts';
import { generatedFiles, generatedFolders } from './files.ts';

const files = generatedFiles();
const pages = new Map([...files].filter(([path]) => path.endsWith('.md')));
const missingWords = (page: string, words: readonly string[]) =>
  words.filter((word) => !page.includes(`\`${word}\``));

describe('generated files', () => {
  it('are where operators, helm and readers look for them', () => {
    expect([...files.keys()]).toEqual([
      'charts/muster/crds/infrastructure.cluster.x-k8s.io_scalewayapplesiliconmachines.yaml',
      'charts/muster/crds/infrastructure.cluster.x-k8s.io_scalewayapplesiliconmachinetemplates.yaml',
      'charts/muster/crds/infrastructure.cluster.x-k8s.io_scalewayapplesiliconclusters.yaml',
      'charts/muster/crds/controlplane.cluster.x-k8s.io_mustercontrolplanes.yaml',
      'charts/muster/crds/muster.dev_machosts.yaml',
      'charts/muster/crds/tuist.dev_runnerpools.yaml',
      'charts/muster/templates/generated/_rules.tpl',
      'docs/reference/README.md',
      'docs/reference/scaleway-apple-silicon-machine.md',
      'docs/reference/scaleway-apple-silicon-machine-template.md',
      'docs/reference/scaleway-apple-silicon-cluster.md',
      'docs/reference/muster-control-plane.md',
      'docs/reference/mac-host.md',
      'docs/reference/runner-pool.md',
      'docs/reference/vocabulary.md',
      'docs/reference/settings.md',
      'docs/reference/metrics.md',
      'docs/reference/rights.md',
      'docs/reference/dispatch-openapi.json',
    ]);
  });

  it('are only in folders without other files', () => {
    expect([...files.keys()].filter((path) => !generatedFolders.includes(dirname(path)))).toEqual([]);
  });

  const commented = [...files].filter(([path]) => !path.endsWith('.json'));
  it.each(commented)('%s says on its first line how to change it', (_, content) => {
    expect(content.split('\n')[0]).toContain('npm run generate');
  });

  it.each(kinds)('have the whole definition of $kind, without YAML anchors, which helm rejects', (kind) => {
    const content = files.get(`charts/muster/crds/${kind.group}_${kind.plural}.yaml`) ?? '';
    expect(parse(content, { maxAliasCount: 0 })).toEqual(crd(kind));
  });

  it.each(kinds)('describe every field of $kind', (kind) => {
    const page = [...pages.values()].find((content) => content.includes(`\n# ${kind.kind}\n`)) ?? '';
    const rows = schemaFields(fieldsSchema(kind)).map(({ path, schema }) => ({
      path,
      meaning: schema.description ?? '',
    }));
    expect(
      rows.filter(({ path, meaning }) => !page.includes(`| \`${path}\` |`) || !page.includes(meaning)),
    ).toEqual([]);
  });

  it('explain every word of the vocabulary', () => {
    const words = [
      ...[labels, annotations, finalizers].flatMap((entries) => Object.values(entries).map(({ key }) => key)),
      ...Object.values(conditionTypes).flatMap((types) => Object.keys(types)),
      ...Object.keys(reasons),
    ];
    expect(missingWords(pages.get('docs/reference/vocabulary.md') ?? '', words)).toEqual([]);
  });

  it('name every setting and every metric', () => {
    const flags = Object.keys(managerSettings).flatMap((key) => [flagOf(key), variableOf(key)]);
    expect(missingWords(pages.get('docs/reference/settings.md') ?? '', flags)).toEqual([]);
    const names = metricCatalogue.map(({ name }) => name);
    expect(missingWords(pages.get('docs/reference/metrics.md') ?? '', names)).toEqual([]);
  });

  it('link to existing pages', () => {
    const links = [...pages].flatMap(([path, content]) =>
      [...content.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => join(dirname(path), target)),
    );
    expect([...new Set(links)].filter((target) => !files.has(target))).toEqual(['docs/examples/README.md']);
  });
});
