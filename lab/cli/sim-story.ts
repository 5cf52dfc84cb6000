/** `muster sim --story`: runs one of the stories in `scenarios`, or a story in a file, and prints what differed. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStory } from '../simulator/scenario-language/parse-story.ts';
import { executeStory } from '../simulator/scenario-language/run-story.ts';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';
import { runnerPortsOf } from './sim-tasks.ts';

const folder = join(import.meta.dirname, '..', '..', 'scenarios');

export async function runStory(name: string, ports: ProcessPorts): Promise<void> {
  const story = parseStory(await textOf(name));
  const { lines, violation } = await executeStory(story, runnerPortsOf(ports));
  ports.terminal.out([story.title, '', ...lines].map((line) => `${line}\n`).join(''));
  if (violation !== undefined) throw new Error(`the story broke ${violation.id}: ${violation.message}`);
}

async function textOf(name: string): Promise<string> {
  if (name.endsWith('.txt')) return readFile(name, 'utf8');
  const files = await readdir(folder);
  if (files.includes(`${name}.txt`)) return readFile(join(folder, `${name}.txt`), 'utf8');
  const names = files.filter((file) => file.endsWith('.txt')).map((file) => file.replace('.txt', ''));
  throw new Error(
    `there is no story ${name}; there are: ${names.toSorted().join(', ')}; or a file, NAME.txt`,
  );
}
