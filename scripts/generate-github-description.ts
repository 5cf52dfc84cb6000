/**
 * Writes the published response schemas of the GitHub requests that we use. The full description has some hundred
 * megabytes, so this script fetches it and keeps only the excerpt.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descriptionFile, excerptOf } from './generate/github-description.ts';
import { refresh } from './generate/stale.ts';

const version = '23.0.2';
const whole = 'package/generated/api.github.com.deref.json';

const folder = mkdtempSync(join(tmpdir(), 'muster-github-'));
try {
  execFileSync('npm', ['pack', `@octokit/openapi@${version}`, '--silent'], { cwd: folder });
  execFileSync('tar', ['xzf', `octokit-openapi-${version}.tgz`, whole], { cwd: folder });
  const description: unknown = JSON.parse(readFileSync(join(folder, whole), 'utf8'));
  const root = join(import.meta.dirname, '..');
  const files = new Map([[descriptionFile, excerptOf(description, version)]]);
  const changed = refresh(root, { files, folders: [] });
  process.stdout.write(
    changed.length === 0 ? `${descriptionFile} is up to date\n` : `updated: ${descriptionFile}\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
