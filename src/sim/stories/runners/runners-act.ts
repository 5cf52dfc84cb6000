/** How something that is done in a story of runners is said, and how it is done. */
import type { Saying } from '../sayings.ts';
import type { RunnersScene } from './scene.ts';

export type RunnersAct = Saying<RunnersScene>;
