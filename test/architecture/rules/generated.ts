/** Generated files on disk equal the present output of the generator: none missing, edited or left over. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Complaint, Rule } from '../finding.ts';
import type { GeneratedFiles } from '../generated-files.ts';
import { filesUnder } from '../tree.ts';

const remedy =
  'Run `npm run generate` and commit the result; change the source of the generator, not its output';

export function generated(expected: GeneratedFiles): Rule {
  return {
    id: 'generated',
    *check({ root }) {
      for (const [file, content] of expected.files) yield* compare(root, file, content);
      const present = new Set(expected.folders.flatMap((folder) => filesUnder(root, folder)));
      for (const file of present) {
        if (!expected.files.has(file)) yield { file, line: 1, wrong: 'is written by no generator', remedy };
      }
    },
  };
}

function* compare(root: string, file: string, content: string): Generator<Complaint> {
  if (!existsSync(join(root, file))) {
    yield { file, line: 1, wrong: 'should be generated and is missing', remedy };
    return;
  }
  const actual = readFileSync(join(root, file), 'utf8');
  if (actual === content) return;
  const line = firstDifference(actual.split('\n'), content.split('\n'));
  yield { file, line, wrong: `differs from what the generator writes, first at line ${line}`, remedy };
}

function firstDifference(actual: readonly string[], expected: readonly string[]): number {
  const index = actual.findIndex((text, at) => text !== expected[at]);
  return (index === -1 ? actual.length : index) + 1;
}
