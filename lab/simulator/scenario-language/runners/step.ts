/** A step of a story of runners: a pattern, and what the step does. */
import type { Phrase } from '../grammar.ts';
import type { RunnersContext } from './context.ts';

export type RunnersAct = Phrase<RunnersContext>;
