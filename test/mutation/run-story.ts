/** Runs the story of a mutant on the mutant, in its own process: prints the violation as JSON, or null. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drain } from '../../lab/harness/drain.ts';
import { storyOfMutant } from './mutate-on-load.ts';

const scenarios = join(import.meta.dirname, '..', '..', 'scenarios');

// Imported here, after the hook is registered, so that the edits apply.
const { parseStory } = await import('../../lab/simulator/scenario-language/parse-story.ts');
const { executeStory } = await import('../../lab/simulator/scenario-language/run-story.ts');
const script = readFileSync(join(scenarios, `${storyOfMutant}.txt`), 'utf8');
const { violation } = await executeStory(parseStory(script), { drain });
console.log(JSON.stringify(violation ?? null));
