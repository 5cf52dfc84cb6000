import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EmbeddedTransport } from '../harness/embedded-transport.ts';
import { askServer } from '../harness/ask-server.ts';
import { anyRandom as random, wallClock as clock } from '../harness/wall-clock.ts';
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { runProgram } from '../../src/cli/program.ts';
import { labCommands } from './commands.ts';

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
  clusters: [{ name: 'here', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'me', user: { token: 'a' } }],
});

const patience = { timeout: 300_000 };

it('registers the requested number of Nodes, and ends on a stop signal', async () => {
  const api = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
  const folder = mkdtempSync(join(tmpdir(), 'muster-sim-nodes-test-'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'of-the-control\n');
  const stopped = Promise.withResolvers<void>();
  let out = '';
  const args = ['sim', 'nodes', '--os', 'darwin', '--fleet', 'macs', '--count', '2', '--kubeconfig', 'file'];
  const ended = runProgram(
    [...args, '--github-url', 'http://127.0.0.1:1', '--control-token-file', tokenFile],
    '1.2.3',
    {
      labCommands: labCommands(),
      terminal: { out: (text) => void (out += text), err: () => undefined },
      clock,
      random,
      stopped: stopped.promise,
      outside: {
        env: {},
        readFile: () => Promise.resolve(kubeconfig),
        runProgram: () => Promise.reject(new Error('there is none')),
        transport: () => new EmbeddedTransport(api),
      },
    },
  );
  for (const name of ['sim-darwin-macs-1', 'sim-darwin-macs-2'])
    await expect
      .poll(() => askServer(api, { method: 'GET', path: `/api/v1/nodes/${name}` }), patience)
      .toMatchObject({ metadata: { labels: { 'tuist.dev/fleet': 'macs' } } });
  stopped.resolve();
  expect(await ended).toBe(0);
  rmSync(folder, { recursive: true });
  expect(out).toContain('2 simulated Nodes (darwin) of fleet macs');
});
