/** Where a story can be told: the words it may use there, the world it is told in, and what must hold in that world. */
import type { ScenarioSetup } from '../engine/scenario.ts';
import type { World } from '../world/world.ts';
import type { Chronicle } from './event-log.ts';
import type { Line } from './story.ts';

/** What the lines of a story act on and look at. */
export interface StoryContext {
  readonly parts: { readonly world: World; readonly chronicle: Chronicle };
}

export interface StoryRunner<Setting extends { readonly seed: number }, S extends StoryContext> {
  /** How long after the start of the world the story begins. */
  readonly beginsAtMs: number;
  settingOf(lines: readonly Line[]): Setting;
  buildContext(world: World, setting: Setting): S;
  setupFor(context: S): ScenarioSetup;
  /** Undefined when no act is said so. */
  actIn(line: Line): ((context: S) => void) | undefined;
  /** Undefined when the line expects nothing; else what is there instead, or nothing when it is so. */
  expectationIn(line: Line): ((context: S) => string | undefined) | undefined;
}
