/** How something that is done in a story is said, and how it is done. */
import type { Saying } from '../sayings.ts';
import type { Scene } from './scene.ts';

export type Act = Saying<Scene>;
