/** How something that is done in a story of runners is said, and how it is done. */
import type { RunnersScene } from './scene.ts';

export type RunnersAct = readonly [RegExp, (scene: RunnersScene, words: readonly string[]) => void];
