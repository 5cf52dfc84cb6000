/** One story without one guard, in a process of its own: prints what was found wrong as JSON, or null. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drain } from '../drain.ts';
import { storyOfGuard } from './without.ts';

const scenarios = join(import.meta.dirname, '..', '..', 'scenarios');

// Loaded only now, so that they come without the guard.
const { parseStory } = await import('../../src/sim/stories/parse-story.ts');
const { tellStory } = await import('../../src/sim/stories/tell-story.ts');
const script = readFileSync(join(scenarios, `${storyOfGuard}.txt`), 'utf8');
const { violation } = await tellStory(parseStory(script), { drain });
console.log(JSON.stringify(violation ?? null));
