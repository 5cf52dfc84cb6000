import { expect, it } from 'vitest';
import { asProcess, blocksOf, missingIn } from './page-commands.ts';

const page = [
  '# Page',
  '```sh keeps-running',
  'serve \\',
  '  --port 0',
  '```',
  '```text',
  'serving at …',
  '```',
  '```yaml',
  'a: 1',
  '```',
  '```sh',
  'look',
  '```',
].join('\n');

it('takes the blocks of a shell, with what is printed after them', () => {
  expect(blocksOf(page)).toEqual([
    { script: 'serve \\\n  --port 0', keepsRunning: true, prints: ['serving at …'] },
    { script: 'look', keepsRunning: false, prints: [] },
  ]);
});

it('names the first line that was promised and is not there', () => {
  expect(missingIn('a\nserving at 1\nb', ['serving at …', 'b'])).toBeUndefined();
  expect(missingIn('b\nserving at 1', ['serving at …', 'b'])).toBe('b');
  expect(missingIn('served at 1', ['serving at …'])).toBe('serving at …');
});

it('the last command of a block takes the place of its shell', () => {
  expect(asProcess('cd x\nserve \\\n  --port 0')).toBe('cd x\nexec serve \\\n  --port 0');
});
