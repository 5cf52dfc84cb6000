/** kubectl apply, client-side and server-side, with diff, prune, replace and create. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { configMap, documents, shelf, type Flow } from './flow.ts';

const sized = (size: string): string => documents(configMap('tuned', { data: { size } }));

export const applyingFlows: readonly Flow[] = [
  {
    flow: 'apply creates objects, changes objects, and skips unchanged objects',
    run: async ({ kubectl }) => {
      const apply = (boxes: number, size: string): Promise<string> =>
        kubectl.feed(
          documents(shelf('s', { boxes }), configMap('c', { data: { size } })),
          'apply',
          '-f',
          '-',
        );
      const reported = [await apply(1, 'a'), await apply(2, 'a'), await apply(2, 'b'), await apply(2, 'b')];
      expect(reported.map((text) => text.split('\n'))).toEqual([
        ['shelf.flows.muster.dev/s created', 'configmap/c created'],
        ['shelf.flows.muster.dev/s configured', 'configmap/c unchanged'],
        ['shelf.flows.muster.dev/s unchanged', 'configmap/c configured'],
        ['shelf.flows.muster.dev/s unchanged', 'configmap/c unchanged'],
      ]);
    },
  },
  {
    flow: 'apply removes fields that left the file, and keeps fields of others',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(configMap('c', { data: { mine: '1', gone: '1' } })), 'apply', '-f', '-');
      await kubectl.ok('patch', 'cm', 'c', '-p', '{"data":{"theirs":"1"}}');
      await kubectl.feed(documents(configMap('c', { data: { mine: '2' } })), 'apply', '-f', '-');
      expect(await kubectl.json('get', 'cm', 'c')).toMatchObject({ data: { mine: '2', theirs: '1' } });
      expect(await kubectl.ok('get', 'cm', 'c', '-o', 'jsonpath={.data.gone}')).toBe('');
    },
  },
  {
    flow: 'apply of a file that is a List applies its items',
    run: async ({ kubectl }) => {
      const list = { apiVersion: 'v1', kind: 'List', items: [configMap('a'), shelf('b', { boxes: 1 })] };
      expect((await kubectl.feed(documents(list), 'apply', '-f', '-')).split('\n')).toEqual([
        'configmap/a created',
        'shelf.flows.muster.dev/b created',
      ]);
      const misspelt = { ...list, items: [shelf('c', { boxen: 1 })] };
      expect(await kubectl.refusedFeed(documents(misspelt), 'apply', '-f', '-')).toContain(
        'unknown field "spec.boxen"',
      );
    },
  },
  {
    flow: 'server-side apply: a field has one owner; another manager is refused, or takes the field by force',
    run: async ({ kubectl }) => {
      const apply = ['apply', '--server-side', '-f', '-', '--field-manager'];
      expect(await kubectl.feed(sized('1'), ...apply, 'first')).toBe('configmap/tuned serverside-applied');
      const refused = await kubectl.refusedFeed(sized('2'), ...apply, 'second');
      expect(refused).toContain('conflict with "first": .data.size');
      await kubectl.feed(sized('2'), ...apply, 'second', '--force-conflicts');
      const managed = await kubectl.json('get', 'cm', 'tuned', '--show-managed-fields');
      expect(managed).toMatchObject({
        data: { size: '2' },
        metadata: { managedFields: [{ manager: 'second', operation: 'Apply' }] },
      });
    },
  },
  {
    flow: 'server-side apply after client-side apply takes over without a conflict',
    run: async ({ kubectl }) => {
      await kubectl.feed(sized('1'), 'apply', '-f', '-');
      await kubectl.feed(sized('2'), 'apply', '--server-side', '-f', '-');
      expect(await kubectl.ok('get', 'cm', 'tuned', '-o', 'jsonpath={.data.size}')).toBe('2');
    },
  },
  {
    flow: 'a server dry run shows the result, and diff the difference; neither writes',
    run: async ({ kubectl }) => {
      await kubectl.feed(sized('1'), 'apply', '-f', '-');
      expect(await kubectl.feed(sized('2'), 'apply', '--dry-run=server', '-f', '-')).toBe(
        'configmap/tuned configured (server dry run)',
      );
      expect((await kubectl.run(['diff', '-f', '-'], sized('1'))).status).toBe(0);
      const { status, stdout } = await kubectl.run(['diff', '-f', '-'], sized('2'));
      expect(status).toBe(1);
      expect(stdout).toMatch(/^-\s+size: "1"$/m);
      expect(stdout).toMatch(/^\+\s+size: "2"$/m);
      expect(await kubectl.ok('get', 'cm', 'tuned', '-o', 'jsonpath={.data.size}')).toBe('1');
      const map = documents(configMap('other', { data: { size: '1' } }));
      await kubectl.feed(map, 'apply', '--server-side', '-f', '-');
      expect((await kubectl.run(['diff', '--server-side', '-f', '-'], map)).status).toBe(0);
    },
  },
  {
    flow: 'apply --prune deletes objects that left the file',
    run: async ({ kubectl }) => {
      const labelled = (name: string): object =>
        configMap(name, { metadata: { name, labels: { set: 'a' } } });
      const prune = ['--prune', '-l', 'set=a', '--prune-allowlist=core/v1/ConfigMap'];
      await kubectl.feed(documents(labelled('keep'), labelled('drop')), 'apply', '-f', '-');
      const reported = await kubectl.feed(documents(labelled('keep')), 'apply', '-f', '-', ...prune);
      expect(reported.split('\n')).toEqual(['configmap/keep unchanged', 'configmap/drop pruned']);
      expect(await kubectl.ok('get', 'cm', '-l', 'set=a', '-o', 'name')).toBe('configmap/keep');
    },
  },
  {
    flow: 'create accepts a file of many documents, and refuses existing objects',
    run: async ({ kubectl, embedded, namespace }) => {
      const file = join(embedded.dir, `${namespace}.yaml`);
      await writeFile(file, documents(configMap('a'), shelf('b'), configMap('c')));
      expect((await kubectl.ok('create', '-f', file)).split('\n')).toEqual([
        'configmap/a created',
        'shelf.flows.muster.dev/b created',
        'configmap/c created',
      ]);
      const again = await kubectl.refused('create', '-f', file);
      expect(again.split('\n').filter((line) => line.includes('AlreadyExists'))).toHaveLength(3);
    },
  },
  {
    flow: 'replace replaces an object, but not a missing object or another revision',
    run: async ({ kubectl }) => {
      const replace = ['replace', '-f', '-'];
      expect(await kubectl.refusedFeed(sized('1'), ...replace)).toContain('NotFound');
      await kubectl.feed(
        documents(configMap('tuned', { data: { size: '1', gone: '1' } })),
        'create',
        '-f',
        '-',
      );
      expect(await kubectl.feed(sized('2'), ...replace)).toBe('configmap/tuned replaced');
      expect(await kubectl.ok('get', 'cm', 'tuned', '-o', 'jsonpath={.data}')).toBe('{"size":"2"}');
      const stale = configMap('tuned', { metadata: { name: 'tuned', resourceVersion: '1' } });
      expect(await kubectl.refusedFeed(documents(stale), ...replace)).toContain('Conflict');
      expect(await kubectl.feed(sized('3'), 'replace', '--force', '-f', '-')).toContain('replaced');
    },
  },
  {
    flow: 'a misspelled field is refused by its name, a wrong value by its path',
    run: async ({ kubectl }) => {
      const file = 'docs/examples/invalid/machine-misspelt-field.yaml';
      expect(await kubectl.refused('apply', '-n', 'default', '-f', file)).toContain(
        'unknown field "spec.adoptPoolPrefixx"',
      );
      expect(await kubectl.refusedFeed(documents(shelf('s', { boxes: -1 })), 'apply', '-f', '-')).toContain(
        'spec.boxes: Invalid value: -1',
      );
    },
  },
];
