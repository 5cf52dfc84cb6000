/** The generated CRDs on a real kube-apiserver, with every example and every supported older shape. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../test/reference/describe-integration.ts';
import type { Kube } from '../../../test/reference/launch/kube.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: unknown;
  readonly status?: unknown;
}

function manifestsIn(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document): Manifest => document.toJS());
}

/** Every path of `sent` whose value differs in `read`: pruned or changed by the server. */
function lostPaths(sent: unknown, read: unknown, path = ''): readonly string[] {
  if (typeof sent !== 'object' || sent === null) return sent === read ? [] : [path];
  const entries = new Map(Object.entries(typeof read === 'object' && read !== null ? read : {}));
  return Object.entries(sent).flatMap(([key, value]) => lostPaths(value, entries.get(key), `${path}.${key}`));
}

function address(of: Manifest): readonly string[] {
  const [group = '', version = ''] = of.apiVersion.split('/');
  const namespace = of.metadata.namespace === undefined ? [] : ['-n', of.metadata.namespace];
  return [`${of.kind}.${version}.${group}`, of.metadata.name, ...namespace];
}

/** Creates the object, then writes its status as a controller would. Returns the server's complaints, or ''. */
async function submit(kube: Kube, { status, ...object }: Manifest): Promise<string> {
  const created = await kube.kubectl(['create', '--validate=strict', '-f', '-'], JSON.stringify(object));
  if (created.status !== 0) return created.stderr;
  if (status === undefined) return '';
  const whole = JSON.stringify({ ...object, status });
  const written = await kube.kubectl(
    ['replace', '--subresource=status', '--validate=strict', '-f', '-'],
    whole,
  );
  return written.status === 0 ? '' : written.stderr;
}

async function readBack(kube: Kube, manifest: Manifest): Promise<unknown> {
  return JSON.parse(await kube.mustKubectl(['get', ...address(manifest), '-o', 'json']));
}

/** The header of `kubectl get` and the first row, cut at the columns of the header. */
async function headerAndRow(kube: Kube, args: readonly string[]): Promise<readonly (readonly string[])[]> {
  const [header = '', row = ''] = (await kube.mustKubectl(['get', ...args])).split('\n');
  const starts = [...header.matchAll(/\S+/g)].map((word) => word.index);
  return [header, row].map((line) =>
    starts.map((start, index) => line.slice(start, starts[index + 1]).trim()),
  );
}

const crdListSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })) }),
    }),
  ),
});

const crdFolder = 'charts/muster/crds';
const valid = globSync('docs/examples/*.yaml').toSorted();
const invalid = globSync('docs/examples/invalid/*.yaml').toSorted();
const older = globSync('src/api/kinds/older-shapes/*.yaml').toSorted();

/** The columns of `kubectl get` for each kind, by short name; the second list is added by `-o wide`. */
const columns: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['samm', ['NAME', 'PHASE', 'PROVIDERID', 'READY', 'AGE'], []],
  ['sammt', ['NAME', 'AGE'], []],
  ['sasc', ['NAME', 'ENDPOINT', 'READY'], []],
  ['mucp', ['NAME', 'INITIALIZED', 'READY', 'AGE'], []],
  ['mh', ['NAME', 'STATE', 'CLAIM', 'SERVER', 'ZONE', 'TYPE', 'EPOCH', 'AGE'], ['IP', 'REASON']],
  ['rpool', ['NAME', 'REPLICAS', 'OBSERVED', 'DISPATCHLABEL', 'AGE'], []],
];

/** One object of each kind with columns, and its cells without the age. */
const rows: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'samm',
    'runners-tq7vn-7xk2p',
    ['Ready', 'scw-applesilicon://fr-par-1/3f0d2c4e-8a55-4d0b-9f43-1c7f2f5a6e01', 'true'],
  ],
  ['sasc', 'ci-macs', ['k8s.ci.example.com', 'true']],
  ['mucp', 'ci-macs', ['true', 'true']],
  [
    'mh',
    '3f0d2c4e-8a55-4d0b-9f43-1c7f2f5a6e01',
    [
      'Owned',
      'runners-tq7vn-7xk2p',
      'runners-tq7vn-7xk2p',
      'fr-par-1',
      'M2-L',
      '2',
      '51.159.120.17',
      'Owned',
    ],
  ],
  ['rpool', 'macos-tahoe', ['0', '7', 'macos-tahoe']],
];

await describeIntegration(
  {
    name: 'the CRDs on the real kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const kube = await startKubeFrom(bench, { workplace });
      await kube.mustKubectl(['create', '-f', crdFolder]);
      await kube.mustKubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', crdFolder]);
      return kube;
    },
  },
  (kube) => {
    it('are Established, accept their names and are structural', async () => {
      const { items } = crdListSchema.parse(
        JSON.parse(await kube().mustKubectl(['get', '-f', crdFolder, '-o', 'json'])),
      );
      const conditions = items.map((crd) => [
        crd.metadata.name,
        crd.status.conditions.map((one) => `${one.type}=${one.status}`).toSorted(),
      ]);
      expect(conditions).toEqual(
        items.map((crd) => [crd.metadata.name, ['Established=True', 'NamesAccepted=True']]),
      );
      expect(items).toHaveLength(columns.length);
    });

    it('has examples and older shapes to try', () => {
      expect([valid, invalid, older].filter((files) => files.length === 0)).toEqual([]);
    });

    it.for([...valid, ...older])('%s is accepted strictly, and no field is pruned', async (file) => {
      for (const manifest of manifestsIn(file)) {
        expect(await submit(kube(), manifest)).toBe('');
        expect(lostPaths(manifest, await readBack(kube(), manifest))).toEqual([]);
      }
    });

    it.for(invalid)('%s is rejected with the field', async (file) => {
      const field =
        /^# refused: (\S+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? `no field named in ${basename(file)}`;
      const [manifest] = manifestsIn(file);
      if (manifest === undefined) throw new Error(`${file} holds no object`);
      expect(await submit(kube(), manifest)).toContain(field);
    });

    it.for(columns)('kubectl get %s prints the columns of the kind', async ([shortName, narrow, wide]) => {
      const [header] = await headerAndRow(kube(), [shortName]);
      expect(header).toEqual(narrow);
      const [wideHeader] = await headerAndRow(kube(), [shortName, '-o', 'wide']);
      expect(wideHeader).toEqual([...narrow, ...wide]);
    });

    it.for(rows)('kubectl get %s %s fills the columns from the object', async ([shortName, name, cells]) => {
      const [, row] = await headerAndRow(kube(), [shortName, name, '-o', 'wide']);
      expect(row?.filter((cell) => !/^\d+s$/.test(cell))).toEqual([name, ...cells]);
    });
  },
);
