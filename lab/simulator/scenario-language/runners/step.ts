/** How something that is done in a story of runners is said, and how it is done. */
import type { Phrase } from '../grammar.ts';
import type { RunnersContext } from './context.ts';

export type RunnersAct = Phrase<RunnersContext>;
