/** The list in the page about owned Macs is one that is used, and the page names each variable of the command. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { listKey } from '../../src/manager/owned-hosts/listed-hosts.ts';
import { readHostList } from '../../src/hosts/provider/static/host-list.ts';
import { wipeCommand } from '../../src/hosts/provider/static/wipe-command.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'owned-macs.md'), 'utf8');
const configMap = z.object({
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).optional(),
});

function documentsIn(): readonly z.infer<typeof configMap>[] {
  const text = /```yaml\n(apiVersion.*?)```/s.exec(page)?.[1] ?? '';
  return parseAllDocuments(text).map((document) => configMap.parse(document.toJS()));
}

function listedHosts() {
  const text = documentsIn()[0]?.data?.[listKey] ?? '';
  return readHostList({ text, place: 'the page', passwordOf: () => undefined });
}

it('its list is used, and beside it are the notes', () => {
  expect(listedHosts()).toMatchObject([{ name: 'tuist-pool-1' }]);
  expect(documentsIn().map(({ metadata }) => metadata.name)).toEqual(['office-macs', 'office-macs-notes']);
});

it('each variable of the command that wipes stands in it', async () => {
  const [host] = listedHosts();
  if (host === undefined) throw new Error('the list is empty');
  let names: readonly string[] = [];
  const hook = wipeCommand({
    command: 'wipe',
    deadlineMs: 1,
    run: ({ env }) => Promise.resolve(void (names = Object.keys(env))),
    onLine: () => undefined,
  });
  await hook.wipe(host, new AbortController().signal);
  const inPage = new Set([...page.matchAll(/`(MUSTER_HOST_[A-Z_]+)`/g)].map(([, name]) => name));
  expect(inPage).toEqual(new Set(names));
});
