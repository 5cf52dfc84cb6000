/** How something that is done in a story is said, and how it is done. */
import type { Phrase } from '../grammar.ts';
import type { StoryContext } from './context.ts';

export type Act = Phrase<StoryContext>;
