/** What CI runs: `npm test` with every judge required, and the status it ends with. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-ci-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it.for([0, 3])('.ci/run calls npm test with MUSTER_REAL=require and passes on its status %i', (status) => {
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "npm $* $MUSTER_REAL"\nexit ${status}\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${folder}:/usr/bin:/bin`, MUSTER_REAL: 'off' };
  const ran = spawnSync('bash', ['.ci/run'], { encoding: 'utf8', env });
  expect([ran.stdout, ran.status]).toEqual(['npm test require\n', status]);
});

it('the workflow runs the same script, and installs what only root may install', () => {
  const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');
  expect(workflow).toMatch(/run: \.ci\/run$/m);
  expect(workflow).toContain('postgresql openssh-server zsh');
});
