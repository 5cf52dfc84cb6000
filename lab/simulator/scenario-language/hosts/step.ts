/** A step of a story: a pattern, and what the step does. */
import type { Phrase } from '../grammar.ts';
import type { StoryContext } from './context.ts';

export type Act = Phrase<StoryContext>;
