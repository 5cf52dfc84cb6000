/**
 * `npm run bundle:agent`: makes the agent one file, `dist/agent/agent.mjs`, that needs no node_modules, with the guest
 * programs beside it and a manifest that names each file with its SHA-256.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const manifestName = 'manifest.json';

export async function bundleAgent(folder: string): Promise<void> {
  const manifest: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'guest'), { recursive: true });
  const bundle = await rolldown({
    input: join(root, 'src/bin/agent.ts'),
    platform: 'node',
    transform: { define: { BUNDLED_VERSION: JSON.stringify(manifest.version) } },
    logLevel: 'silent',
  });
  await bundle.write({
    file: join(folder, 'agent.mjs'),
    format: 'esm',
    codeSplitting: false,
    minify: true,
  });
  await bundle.close();
  const programs = (await readdir(join(root, 'src/guest'))).filter((name) => !name.endsWith('.md'));
  for (const name of programs) await cp(join(root, 'src/guest', name), join(folder, 'guest', name));
  const names = ['agent.mjs', ...programs.map((name) => `guest/${name}`)];
  const files = await Promise.all(names.map((name) => fileEntry(folder, name)));
  const text = JSON.stringify({ name: 'muster-agent', version: manifest.version, files }, null, 2);
  await writeFile(join(folder, manifestName), `${text}\n`);
}

async function fileEntry(folder: string, name: string) {
  const content = await readFile(join(folder, name));
  return { name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

if (import.meta.main) {
  const folder = join(root, 'dist/agent');
  await bundleAgent(folder);
  console.log(await readFile(join(folder, manifestName), 'utf8'));
}
