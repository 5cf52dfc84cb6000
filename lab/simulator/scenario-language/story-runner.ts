/** A kind of story: the words of its scripts, the world that it runs in, and the invariants of that world. */
import type { ScenarioSetup } from '../engine/scenario.ts';
import type { World } from '../world/world.ts';
import type { Chronicle } from './event-log.ts';
import type { Line } from './story.ts';

/** What the lines of a story act on and read. */
export interface StoryContext {
  readonly parts: { readonly world: World; readonly chronicle: Chronicle };
}

export interface StoryRunner<Setting extends { readonly seed: number }, S extends StoryContext> {
  /** How long after the start of the world the story begins. */
  readonly beginsAtMs: number;
  settingOf(lines: readonly Line[]): Setting;
  buildContext(world: World, setting: Setting): S;
  setupFor(context: S): ScenarioSetup;
  /** Returns undefined when no act matches the line. */
  actIn(line: Line): ((context: S) => void) | undefined;
  /**
   * Returns undefined when the line is no expectation. An expectation returns what is there instead, or undefined when
   * it holds.
   */
  expectationIn(line: Line): ((context: S) => string | undefined) | undefined;
}
