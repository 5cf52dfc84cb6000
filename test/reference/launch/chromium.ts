/** A headless Chromium without outside connections, driven over its DevTools port. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Workplace } from './workplace.ts';

export interface Chromium {
  readonly devtools: string;
  readonly browser: string;
}

const quietFlags = [
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const versionSchema = z.object({ Browser: z.string() });

export async function startChromium(workplace: Workplace, program: string): Promise<Chromium> {
  const [port = 0] = await workplace.ports(1);
  const devtools = `http://127.0.0.1:${port}`;
  // Chromium refuses its sandbox to root, and only shows pages that the tests serve.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  await workplace.launch({
    name: 'chromium',
    command: program,
    ports: [port],
    args: [
      ...quietFlags,
      ...sandbox,
      `--user-data-dir=${join(workplace.dir, 'chromium')}`,
      `--remote-debugging-port=${port}`,
      'about:blank',
    ],
    isHealthy: async () => (await fetch(`${devtools}/json/version`)).ok,
  });
  const said = versionSchema.parse(await (await fetch(`${devtools}/json/version`)).json());
  return { devtools, browser: said.Browser };
}
