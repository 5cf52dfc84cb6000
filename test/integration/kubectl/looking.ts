/** Reading with kubectl: get in all its forms, describe, explain, and discovery. */
import { expect } from 'vitest';
import { cells, configMap, documents, shelf, type Flow, type Fixture } from './flow.ts';

async function fillShelves({ kubectl }: Fixture): Promise<void> {
  const shelves = [
    shelf('low', { boxes: 3, place: { room: 'cellar' } }, { labels: { kind: 'wood' } }),
    shelf('high', { boxes: 1, place: { room: 'attic' } }, { labels: { kind: 'steel' } }),
    shelf('broad', { boxes: 2, place: { room: 'cellar' } }, { labels: { kind: 'steel' } }),
  ];
  await kubectl.feed(documents(...shelves), 'create', '-f', '-');
}

export const lookingFlows: readonly Flow[] = [
  {
    flow: 'get prints the columns of a kind, more of them with -o wide',
    run: async (fixture) => {
      await fillShelves(fixture);
      const [header, row] = cells(await fixture.kubectl.ok('get', 'sh', 'low'));
      expect([header, row?.slice(0, 2)]).toEqual([
        ['NAME', 'BOXES'],
        ['low', '3'],
      ]);
      const [wide, wideRow] = cells(await fixture.kubectl.ok('get', 'shelves', 'low', '-o', 'wide'));
      expect([wide, wideRow]).toEqual([
        ['NAME', 'BOXES', 'ROOM'],
        ['low', '3', 'cellar'],
      ]);
      const [ofLabels] = cells(await fixture.kubectl.ok('get', 'furniture', '-L', 'kind', '--show-kind'));
      expect(ofLabels).toEqual(['NAME', 'BOXES', 'KIND']);
    },
  },
  {
    flow: 'get prints whole objects, chosen columns, and single values',
    run: async (fixture) => {
      await fillShelves(fixture);
      const get = (...args: readonly string[]): Promise<string> => fixture.kubectl.ok('get', 'sh', ...args);
      expect(await fixture.kubectl.json('get', 'sh', 'low')).toMatchObject({
        kind: 'Shelf',
        spec: { boxes: 3 },
      });
      expect(await get('low', '-o', 'yaml')).toMatch(/^ {2}boxes: 3$/m);
      expect(cells(await get('-o', 'custom-columns=WHO:.metadata.name,WHERE:.spec.place.room'))).toEqual([
        ['WHO', 'WHERE'],
        ['broad', 'cellar'],
        ['high', 'attic'],
        ['low', 'cellar'],
      ]);
      expect(await get('-o', 'jsonpath={.items[*].spec.boxes}')).toBe('2 1 3');
      expect(await get('-o', 'name')).toContain('shelf.flows.muster.dev/low');
    },
  },
  {
    flow: 'get sorts, and selects by labels and by fields',
    run: async (fixture) => {
      await fillShelves(fixture);
      const names = (...args: readonly string[]): Promise<string> =>
        fixture.kubectl.ok('get', 'sh', '-o', 'jsonpath={.items[*].metadata.name}', ...args);
      expect(await names('--sort-by=.spec.boxes')).toBe('high broad low');
      expect(await names('-l', 'kind in (steel)')).toBe('broad high');
      expect(await names('--field-selector', 'metadata.name=low')).toBe('low');
      expect(await names('--field-selector', 'spec.place.room=cellar')).toBe('broad low');
      expect(await fixture.kubectl.refused('get', 'sh', '--field-selector', 'spec.boxes=1')).toContain(
        'field label not supported',
      );
    },
  },
  {
    flow: 'get fetches a long list in pages',
    run: async ({ kubectl }) => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      await kubectl.feed(documents(...names.map((name) => shelf(name))), 'create', '-f', '-');
      const { stdout, stderr } = await kubectl.run(['get', 'sh', '--chunk-size=2', '-o', 'name', '-v=6']);
      expect(stdout.trim().split('\n')).toHaveLength(names.length);
      expect(stderr.match(/url="[^"]*\/shelves\?continue=/g)).toHaveLength(2);
    },
  },
  {
    flow: 'describe shows a custom object with its events',
    run: async (fixture) => {
      const { kubectl, namespace } = fixture;
      await fillShelves(fixture);
      const uid = await kubectl.ok('get', 'sh', 'low', '-o', 'jsonpath={.metadata.uid}');
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'low.1', namespace },
        involvedObject: { apiVersion: 'flows.muster.dev/v1', kind: 'Shelf', name: 'low', namespace, uid },
        type: 'Warning',
        reason: 'TooFull',
        message: 'no space for another box',
        source: { component: 'carpenter' },
      };
      await kubectl.feed(documents(event), 'create', '-f', '-');
      const described = await kubectl.ok('describe', 'sh', 'low');
      expect(described).toMatch(/^Kind:\s+Shelf$/m);
      expect(described).toMatch(/^\s+Boxes:\s+3$/m);
      expect(described).toMatch(/Warning\s+TooFull\s+.*carpenter\s+no space for another box/);
    },
  },
  {
    flow: 'explain shows the fields of custom and built-in kinds, one level or all',
    run: async ({ kubectl }) => {
      expect(await kubectl.ok('explain', 'sh.spec.boxes')).toContain('How many boxes it is to hold.');
      expect(await kubectl.ok('explain', 'shelf', '--recursive')).toMatch(/^ {6}room\t<string>$/m);
      expect(await kubectl.ok('explain', 'pod.spec.containers.livenessProbe')).toMatch(
        /failureThreshold\s+<integer>/,
      );
      expect(await kubectl.ok('explain', 'deployment', '--recursive')).toMatch(
        /^ +livenessProbe\s+<Probe>$/m,
      );
      expect(await kubectl.refused('explain', 'sh.spec.nothing')).toContain('field "nothing" does not exist');
    },
  },
  {
    flow: 'api-resources lists the served kinds, with short names and verbs',
    run: async ({ kubectl }) => {
      const wide = cells(await kubectl.ok('api-resources', '-o', 'wide', '--no-headers'));
      const shelves = wide.find(([name]) => name === 'shelves');
      expect(shelves?.slice(0, 5)).toEqual(['shelves', 'sh', 'flows.muster.dev/v1', 'true', 'Shelf']);
      expect(shelves?.[5]).toContain('patch');
      const cluster = await kubectl.ok('api-resources', '--namespaced=false', '-o', 'name');
      expect(cluster.split('\n')).toEqual(expect.arrayContaining(['namespaces', 'nodes']));
      expect(cluster).not.toContain('pods');
      expect((await kubectl.ok('api-versions')).split('\n')).toEqual(
        expect.arrayContaining(['v1', 'apps/v1', 'flows.muster.dev/v1']),
      );
    },
  },
  {
    flow: 'a missing object is reported by its name',
    run: async ({ kubectl }) => {
      expect(await kubectl.refused('get', 'sh', 'none')).toContain(
        'shelves.flows.muster.dev "none" not found',
      );
      expect(await kubectl.refused('get', 'tables')).toContain('doesn\'t have a resource type "tables"');
      const { stderr } = await kubectl.run(['get', 'sh']);
      expect(stderr).toContain('No resources found');
      await kubectl.feed(documents(configMap('a')), 'create', '-f', '-');
      expect(await kubectl.ok('get', 'sh', 'none', '--ignore-not-found')).toBe('');
    },
  },
  {
    flow: 'version and cluster-info show the version and the address of the server',
    run: async ({ kubectl, embedded }) => {
      expect(await kubectl.ok('version')).toContain('Server Version: v1.36.');
      expect(await kubectl.ok('cluster-info')).toContain(`control plane is running at`);
      expect(await kubectl.ok('cluster-info')).toContain(embedded.url);
      expect(await kubectl.ok('get', '--raw', '/readyz')).toBe('ok');
    },
  },
];
