/** The images ship the programs of this repository, all that they start and nothing that is not there. */
import { execFileSync } from 'node:child_process';
import { constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const containerfile = read('images/linux/Containerfile');
const template = read('images/macos/runner.pkr.hcl');
const install = read('images/macos/install.sh');

/** What a Containerfile copies from the repository. */
const copied = containerfile
  .split('\n')
  .filter((line) => line.startsWith('COPY '))
  .flatMap((line) =>
    line
      .split(' ')
      .slice(1, -1)
      .filter((word) => !word.startsWith('--')),
  );

/** What the template uploads, or runs. */
const uploaded = [...template.matchAll(/"\$\{path\.root\}\/([^"]+)"/g)].map(([, path = '']) =>
  normalize(`images/macos/${path}`),
);

/** Of the programs that a program starts or reads beside itself. */
function namedBy(program: string): readonly string[] {
  return [...read(`src/guest/${program}`).matchAll(/\$here\/([\w.-]+)/g)].map(([, name = '']) => name);
}

const guest = readdirSync(join(root, 'src/guest')).filter((name) => !name.endsWith('.md'));

it.each([...copied, ...uploaded])('%s is there', (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});

it.each([
  ['linux', copied, ['dispatch-poll', 'run-runner']],
  ['macos', uploaded, ['mac-session']],
] as const)('the image for %s has all that its programs start', (_, paths, starts) => {
  const shipped = new Set(
    paths.filter((path) => path.startsWith('src/guest/')).map((path) => basename(path)),
  );
  expect(starts.filter((program) => !shipped.has(program))).toEqual([]);
  const missing = [...shipped].flatMap((program) => namedBy(program).filter((name) => !shipped.has(name)));
  expect(missing).toEqual([]);
});

it('every program is in an image', () => {
  const shipped = new Set([...copied, ...uploaded].map((path) => basename(path)));
  expect(guest.filter((name) => !shipped.has(name))).toEqual([]);
});

it('what is uploaded to a Mac is installed there', () => {
  for (const path of uploaded.filter((one) => one !== 'images/macos/install.sh'))
    expect(install).toContain(basename(path));
});

it('what is started when the machine starts is what is installed', () => {
  expect(read('images/macos/dev.tuist.runner.plist')).toContain(
    '<string>exec /opt/tuist/mac-session</string>',
  );
  expect(containerfile).toContain('CMD ["/opt/tuist/run-runner"]');
  expect(containerfile.match(/ \/opt\/tuist\/$/gm)).toHaveLength(2);
});

it.each(guest.filter((name) => name !== 'guest.sh'))('%s can be run, and says by whom', (name) => {
  const path = join(root, 'src/guest', name);
  expect(statSync(path).mode & constants.S_IXUSR).not.toBe(0);
  expect(readFileSync(path, 'utf8').startsWith('#!/bin/sh\n')).toBe(true);
});

it.each(['images/macos/install.sh', ...guest.map((name) => `src/guest/${name}`)])(
  'a shell can read %s',
  (path) => {
    expect(() => execFileSync('sh', ['-n', join(root, path)])).not.toThrow();
  },
);
