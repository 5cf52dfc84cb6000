/** What CI runs: `npm test` with every reference program required, and the status it ends with. */
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

it.for([
  [0, ['npm test require', 'npm run sim:acceptance off']],
  [3, ['npm test require']],
] as const)(
  '.ci/run requires every reference program, then runs the acceptance runs; npm that ends with %i ends it',
  ([status, calls]) => {
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "npm $* $MUSTER_REAL"\nexit ${status}\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${folder}:/usr/bin:/bin`, MUSTER_REAL: 'off' };
    const ran = spawnSync('bash', ['.ci/run'], { encoding: 'utf8', env });
    expect([ran.stdout, ran.status]).toEqual([calls.map((call) => `${call}\n`).join(''), status]);
  },
);

it('the workflow runs the same script, and installs what only root may install', () => {
  const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');
  expect(workflow).toMatch(/run: \.ci\/run$/m);
  expect(workflow).toContain('postgresql openssh-server zsh prometheus');
});
