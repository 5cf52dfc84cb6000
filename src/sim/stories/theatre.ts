/** Where a story can be told: the words it may use there, the world it is told in, and what must hold in that world. */
import type { Stage } from '../scenario.ts';
import type { World } from '../world.ts';
import type { Chronicle } from './chronicle.ts';
import type { Line } from './story.ts';

/** What the lines of a story act on and look at. */
export interface Scene {
  readonly parts: { readonly world: World; readonly chronicle: Chronicle };
}

export interface Theatre<Setting extends { readonly seed: number }, S extends Scene> {
  /** How long after the start of the world the story begins. */
  readonly beginsAtMs: number;
  settingOf(lines: readonly Line[]): Setting;
  buildScene(world: World, setting: Setting): S;
  stageOf(scene: S): Stage;
  /** Undefined when no act is said so. */
  actIn(line: Line): ((scene: S) => void) | undefined;
  /** Undefined when the line expects nothing; else what is there instead, or nothing when it is so. */
  expectationIn(line: Line): ((scene: S) => string | undefined) | undefined;
}
