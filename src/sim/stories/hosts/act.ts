/** How something that is done in a story is said, and how it is done. */
import type { Scene } from './scene.ts';

export type Act = readonly [RegExp, (scene: Scene, words: readonly string[]) => void];
