import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programNamed } from '../programs.ts';
import { obstacle } from '../obstacle.ts';
import { keyOf, makeReady, type Workshop } from '../ready.ts';
import { writeProgram } from '../write-program.ts';
import { exportEntry } from './mirror.ts';

let folder = '';
let server: Server;
let url = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-mirror-test-'));
  server = createServer((request, response) => {
    readFile(join(folder, 'mirror', request.url ?? '')).then(
      (body) => response.end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

const helm = programNamed('helm');

/** A machine with tar but without Go, so that only the mirror can help. */
function workshop(mirror: string): Workshop {
  const env = { PATH: '/usr/bin:/bin', MUSTER_CACHE: join(folder, 'cache'), MUSTER_REAL_MIRROR: mirror };
  return { env, progress: () => undefined };
}

async function exportHelm(version: string): Promise<string> {
  if (helm.recipe.kind !== 'go') throw new Error('helm is built with Go');
  await writeProgram(join(folder, 'entry', 'bin', 'helm'), version);
  const entry = { dir: join(folder, 'entry'), key: await keyOf(helm, helm.recipe) };
  return exportEntry(entry, join(folder, 'mirror'));
}

it('a mirror serves the exported programs', async () => {
  await exportHelm('4.2.4');
  expect(await makeReady(helm, workshop(url))).toMatchObject({ source: 'cache', version: '4.2.4' });
});

it('without the program on the mirror, the program is built', async () => {
  expect((await obstacle(helm, workshop(url))).message).toBe(
    'helm is not in the cache, and Go is not installed to build it',
  );
});

it('an archive of the mirror that does not match its digest is refused', async () => {
  await writeFile(await exportHelm('4.2.4'), 'truncated');
  expect((await obstacle(helm, workshop(url))).message).toContain('does not match its digest');
});

it('another version from the mirror is refused', async () => {
  await exportHelm('3.0.0');
  expect((await obstacle(helm, workshop(url))).message).toBe(
    'what was made as helm 4.2.4 calls itself 3.0.0',
  );
});

it('a mirror that does not answer is an error with a remedy', async () => {
  expect(await obstacle(helm, workshop('http://127.0.0.1:1'))).toEqual({
    message: expect.stringContaining('the mirror does not answer at http://127.0.0.1:1/helm-'),
    next: 'fix or unset MUSTER_REAL_MIRROR; without it the program is built from source',
  });
});
