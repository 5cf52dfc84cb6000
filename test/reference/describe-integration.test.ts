/** What happens to an integration suite without its reference programs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

let emptyCache = '';
beforeEach(() => {
  emptyCache = mkdtempSync(join(tmpdir(), 'muster-integration-test-'));
});
afterEach(() => {
  rmSync(emptyCache, { recursive: true, force: true });
});

function runSuite(mode: string): { readonly status: number | null; readonly said: string } {
  const env = {
    ...process.env,
    MUSTER_REAL: mode,
    MUSTER_CACHE: emptyCache,
    NO_COLOR: '1',
    VITEST: undefined,
    // The inner run must not use the programs that the outer run prepared.
    MUSTER_REAL_FOUND: undefined,
  };
  const path = [
    dirname(process.execPath),
    join(process.cwd(), 'node_modules', '.bin'),
    process.env['PATH'],
  ].join(delimiter);
  const suite = fileURLToPath(new URL('./absent-program/suite.ts', import.meta.url));
  const config = join(dirname(suite), 'vitest.config.ts');
  const ran = spawnSync('vitest', ['run', '--config', config], {
    encoding: 'utf8',
    env: { ...env, PATH: path },
  });
  return { status: ran.status, said: ran.stdout + ran.stderr };
}

it.for(['auto', 'off'])('under %s it is skipped', (mode) => {
  const { status, said } = runSuite(mode);
  expect(said).toContain('1 skipped');
  expect(status).toBe(0);
});

it('under require it fails, and names the missing program and the remedy', () => {
  const { status, said } = runSuite('require');
  expect(said).toContain('missing reference programs: helm (not built yet; run: npm run references -- helm)');
  expect(status).toBe(1);
});
